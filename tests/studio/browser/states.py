"""The states in which a visitor sees the studio, one after the other: empty, in use, and where something is wrong."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import expect

from studio.browser.visitor import STEPS, Visitor

__all__ = ["STATES", "enter_state"]

BROKEN = {"name": "broken.xlsx", "mimeType": "application/octet-stream", "buffer": b"no spreadsheet"}
LARGE = {"name": "large.csv", "mimeType": "text/csv", "buffer": b"a\n" * 600_000}  # studios here take 1 MB


def _opened(visitor: Visitor, survey: Path) -> None:
    visitor.upload(survey)
    expect(visitor.page.locator("#data-distribution svg")).to_be_visible()


def _refused(visitor: Visitor, survey: Path) -> None:
    visitor.send(BROKEN)
    expect(visitor.page.locator("#data-refused .notice-problem")).to_be_visible()


def _too_large(visitor: Visitor, survey: Path) -> None:
    visitor.send(LARGE)
    expect(visitor.find("data-status")).to_contain_text("1 MB")
    expect(visitor.page.locator("#data-refused .notice-problem")).to_have_count(0)  # that was another file


def _no_record(visitor: Visitor, survey: Path) -> None:
    visitor.find("data-condition").fill("age > 1000")
    visitor.find("data-condition").press("Enter")
    expect(visitor.page.locator("#data-records .empty")).to_be_visible()


def _undecided(visitor: Visitor, survey: Path) -> None:
    visitor.open_step("Variables")
    expect(visitor.page.locator("#variables-table .open")).to_be_visible()


def _nothing_chosen(visitor: Visitor, survey: Path) -> None:
    visitor.find("variables-all_kind").select_option("nominal")
    expect(visitor.page.locator("#variables-questions .notice-problem")).to_be_visible()
    expect(visitor.find("variables-all_kind")).to_have_value("-")


def _decided(visitor: Visitor, survey: Path) -> None:
    visitor.use("interviewed", "identifier")
    visitor.use("savings", "identifier")
    visitor.use_several(["wage", "capital", "tax", "net"], "confidential")
    expect(visitor.page.locator("#variables-questions .notice-good")).to_be_visible()


def _no_keys(visitor: Visitor, survey: Path) -> None:
    visitor.open_step("Keys")
    checked = visitor.page.locator("#keys-chosen input:checked")
    expect(checked.first).to_be_visible()
    while checked.count():
        visitor.decide(checked.first.uncheck)
    expect(visitor.page.locator("#keys-risk-measured .empty")).to_be_visible()


def _keys(visitor: Visitor, survey: Path) -> None:
    visitor.open_step("Variables")
    visitor.use_several(["region", "sex", "age", "education"], "key")
    visitor.open_step("Keys")
    visitor.find("keys-recoding-columns").select_option("age")
    visitor.find("keys-recoding-bands_width").fill("10")
    expect(visitor.find("keys-recoding-effect")).to_contain_text("bands:width=10")
    visitor.unfold("keys-risk-riskiest_records")
    visitor.unfold("keys-risk-all_values")


def _categories(visitor: Visitor, survey: Path) -> None:
    visitor.decide(visitor.find("keys-recoding-use_it").click)
    visitor.find("keys-recoding-columns").select_option("education")
    expect(visitor.page.locator("#keys-recoding-form .chip").first).to_be_visible()
    visitor.find("keys-suppression-count_cells").click()
    expect(visitor.find("keys-suppression-use_it")).to_be_visible()


def _suggestions(visitor: Visitor, survey: Path) -> None:
    visitor.open_step("Rules")
    expect(visitor.page.locator("#rules-suggestions-found table")).to_be_visible()


def _no_rule(visitor: Visitor, survey: Path) -> None:
    visitor.find("rules-rule_box").fill("net == = wage")
    expect(visitor.page.locator("#rules-trial .notice-warning")).to_be_visible()


def _broken_rule(visitor: Visitor, survey: Path) -> None:
    visitor.add_rule("net == wage + capital - tax")
    visitor.add_rule("tax >= 5000")
    expect(visitor.page.locator("#rules-in_use .bad")).to_be_visible()
    expect(visitor.find("rules-repair_switch")).to_be_visible()


def _without_k(visitor: Visitor, survey: Path) -> None:
    visitor.undo()
    visitor.open_step("Protect")
    visitor.unfold("protect-more")
    visitor.unfold("protect-several-all")
    expect(visitor.page.locator("#protect-plan .notice-warning")).to_be_visible()


def _impossible(visitor: Visitor, survey: Path) -> None:
    visitor.set_missing("keep")
    visitor.find("protect-more").locator("summary").first.click()
    visitor.set_k(5000)
    visitor.find("protect-start_now").click()
    expect(visitor.page.locator("#protect-work .notice-problem")).to_be_visible()


def _attempts(visitor: Visitor, survey: Path) -> None:
    visitor.set_k(5)
    visitor.protect(1)
    visitor.set_k(10)
    visitor.protect(2)


def _evaluated(visitor: Visitor, survey: Path) -> None:
    visitor.open_step("Evaluate")
    expect(visitor.page.locator("#evaluate-map svg")).to_be_visible()
    visitor.find("evaluate-intruder-knows_0").check()
    expect(visitor.find("evaluate-intruder-found")).to_contain_text("chosen")
    expect(visitor.page.locator("#evaluate-pair-shown svg").first).to_be_visible()
    expect(visitor.page.locator("#evaluate-table-shown table").first).to_be_visible()
    folded = visitor.page.locator("#evaluate-report details.section")
    folded.evaluate_all("sections => sections.forEach((one) => { one.open = true; })")


def _exported(visitor: Visitor, survey: Path) -> None:
    visitor.open_step("Export")
    expect(visitor.find("export-get_everything")).to_be_visible()
    visitor.find("export-keep_order").check()
    expect(visitor.page.locator("#export-files .notice-warning")).to_be_visible()


def _ended(visitor: Visitor, survey: Path) -> None:
    visitor.studio.end()
    expect(visitor.find("disconnected")).to_be_visible()
    visitor.find("reload").click(trial=True)  # nothing lies over it


def _empty(step: str) -> Callable[[Visitor, Path], None]:
    def enter(visitor: Visitor, survey: Path) -> None:
        visitor.open_step(step)
        expect(visitor.page.locator(".tab-pane.active .empty").first).to_be_visible()

    return enter


# In this order: each begins where the one before ended.
STATES: dict[str, Callable[[Visitor, Path], None]] = {
    **{f"empty-{step.lower()}": _empty(step) for step in STEPS},
    "data": _opened,
    "data-refused": _refused,
    "data-too-large": _too_large,
    "data-no-record": _no_record,
    "variables-undecided": _undecided,
    "variables-nothing-chosen": _nothing_chosen,
    "variables": _decided,
    "keys-none": _no_keys,
    "keys": _keys,
    "keys-categories": _categories,
    "rules-suggestions": _suggestions,
    "rules-no-rule": _no_rule,
    "rules-broken": _broken_rule,
    "protect-without-k": _without_k,
    "protect-impossible": _impossible,
    "protect": _attempts,
    "evaluate": _evaluated,
    "export": _exported,
    "ended": _ended,
}


def enter_state(visitor: Visitor, survey: Path, state: str) -> None:
    """Go from the state before to this one, and wait until it is drawn."""
    STATES[state](visitor, survey)
    if state != "ended":
        visitor.settled()
