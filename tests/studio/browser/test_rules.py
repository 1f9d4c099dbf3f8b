"""The step Rules in the browser."""

from __future__ import annotations

import pytest

from shoal import datasets

SUM = "gross_income == tax + net_income"
BROKEN = "housing_cost <= net_income"


@pytest.fixture
def rules(studio):
    """The step Rules with the built-in survey open."""
    studio.open_survey()
    studio.go("Rules")
    studio.page.get_by_text("No rule is in use.").wait_for()
    return studio


def steps(studio) -> list[str]:
    return studio.page.get_by_label("Steps so far").locator("option").all_inner_texts()


def in_use(studio) -> list[str]:
    return studio.page.get_by_role("region", name="Rules in use").locator("tbody th").all_inner_texts()


def test_a_rule_is_checked_while_it_is_typed_and_added_by_enter(rules):
    from playwright.sync_api import expect

    page = rules.page
    box = page.get_by_label("Rule", exact=True)
    box.press_sequentially("net_income + tax =")
    page.locator("#rules-trial .notice-warning").wait_for()
    box.press_sequentially("= gross_income")
    page.get_by_text("All 1,000 records keep it.").wait_for()
    assert steps(rules) == ["The file was opened"]
    box.press("Enter")
    page.get_by_text("1 rule in use").wait_for()
    expect(box).to_have_value("")
    assert in_use(rules) == ["net_income + tax == gross_income"]
    assert steps(rules)[-1] == "rule added: net_income + tax == gross_income"


def test_records_that_break_a_rule_are_counted_and_can_be_repaired(rules):
    page = rules.page
    table = datasets.households()
    broken = table.index[table["housing_cost"] > table["net_income"]] + 1
    page.get_by_label("Rule", exact=True).fill(BROKEN)
    numbers = ", ".join(map(str, broken[:5]))
    page.get_by_text(f"Records that break it: {len(broken)} (1.6 %), numbers {numbers} and more.").wait_for()
    page.get_by_role("button", name="Add the rule", exact=True).click()
    repair = page.get_by_role("switch", name="Repair")
    repair.check()
    page.wait_for_function("() => document.querySelector('#headline-steps').textContent.includes('are repaired')")
    page.get_by_role("button", name=f"Remove the rule {BROKEN}").click()
    page.get_by_text("No rule is in use.").wait_for()
    assert steps(rules)[1:] == [
        f"rule added: {BROKEN}",
        "records that break rules are repaired",
        f"rule removed: {BROKEN}",
    ]
    page.get_by_role("button", name="Undo").click()
    repair.wait_for()
    assert repair.is_checked()


def test_what_is_found_in_the_data_is_offered_and_never_assumed(rules):
    page = rules.page
    found = page.get_by_role("region", name="Rules found in the data")
    found.wait_for(timeout=60_000)
    assert page.get_by_text("No rule is in use.").is_visible()
    found.get_by_role("button", name=f"Add the rule {SUM}", exact=True).click()
    page.get_by_text("1 rule in use").wait_for()
    assert in_use(rules) == [SUM]
    found.get_by_text(SUM, exact=True).wait_for(state="detached")


def test_a_file_of_rules_is_loaded_and_a_wrong_one_named_by_its_line(rules, tmp_path):
    page = rules.page
    (tmp_path / "good.txt").write_text(f"{SUM}\n# a comment\ntax >= 0\n", encoding="utf-8")
    (tmp_path / "wrong.txt").write_text(f"{SUM}\ntax >\n", encoding="utf-8")
    upload = page.locator("#rules-file")
    upload.set_input_files(tmp_path / "wrong.txt")
    page.get_by_text('"wrong.txt", line 2').wait_for()
    upload.set_input_files(tmp_path / "good.txt")
    page.get_by_text("good.txt: 2 rules are in use.").wait_for()
    page.get_by_text("2 rules in use").wait_for()
    assert in_use(rules) == [SUM, "tax >= 0"]


def test_how_rules_will_be_kept_is_explained_when_k_is_decided(rules):
    page = rules.page
    page.get_by_role("button", name=f"Add the rule {SUM}", exact=True).click()
    page.get_by_text("Set k first").wait_for()
    rules.go("Keys")
    page.locator("#keys-k_box").fill("3")
    page.locator("#keys-k_box").press("Enter")
    page.get_by_text("The k of the release").wait_for()
    rules.go("Rules")
    page.get_by_role("button", name="Show how").click()
    page.get_by_text("gross_income: computed from the others").wait_for(timeout=120_000)


def test_the_page_fits_every_width(rules):
    page = rules.page
    page.get_by_role("button", name=f"Add the rule {SUM}", exact=True).click()
    page.get_by_label("Rule", exact=True).fill(BROKEN)
    page.get_by_role("button", name="Add the rule", exact=True).wait_for()
    rules.settled()
    rules.picture("rules")
