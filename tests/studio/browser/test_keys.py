"""The step Keys in the browser."""

from __future__ import annotations

import re

import pandas as pd
import pytest

from shoal import datasets
from shoal.recode import Bands, effect

KEYS = ["age", "household_size", "education", "tenure"]  # those that the survey is suggested to have


@pytest.fixture
def keys(studio):
    """The step Keys with the built-in survey open."""
    studio.open_survey()
    studio.go("Keys")
    studio.page.get_by_text("expected re-identifications").first.wait_for(timeout=60_000)
    return studio


def steps(studio) -> list[str]:
    return studio.page.get_by_label("Steps so far").locator("option").all_inner_texts()


def effect_row(studio, name: str) -> list[str]:
    cells = studio.page.locator("#keys-recoding-effect tr", has_text=name).locator("td").all_inner_texts()
    return [re.sub(r" \(.*", "", cell) for cell in cells]


def expected_row(width: int, k: int) -> list[str]:
    counts = effect(datasets.households(), {"age": Bands(width=width)}, KEYS, k).alone["age"]
    return [f"{count:,}" for count in (counts.values["age"], counts.k, counts.uniques, counts.below_k)]


def test_the_effect_on_k_follows_the_slider_and_nothing_is_decided_before_use_it(keys):
    from playwright.sync_api import expect

    page = keys.page
    slider = page.get_by_label("Width of a band, slider")
    slider.focus()
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    expect(page.get_by_label("Width of a band", exact=True)).to_have_value("15")
    page.get_by_text("bands:width=15").wait_for()
    page.wait_for_function("() => document.querySelector('#keys-recoding-effect .waiting') === null")
    assert effect_row(keys, "with this recode of age") == expected_row(15, 3)
    assert steps(keys) == ["The file was opened"]
    page.get_by_role("button", name="Use it").click()
    page.get_by_text("Decided: bands:width=15").wait_for()
    assert steps(keys)[-1] == "age: bands:width=15"
    page.get_by_role("button", name="Undo").click()
    page.get_by_text("It is released with all its values.").wait_for()
    expect(page.get_by_label("Width of a band", exact=True)).to_have_value("10")


def test_a_recode_can_be_removed(keys):
    page = keys.page
    page.get_by_role("button", name="Use it").click()
    page.get_by_role("button", name="Remove the recode").click()
    page.get_by_text("It is released with all its values.").wait_for()
    assert steps(keys)[1:] == ["age: bands:width=10", "age: not made coarser"]


def test_keys_are_chosen_by_ticking_and_follow_undo(keys):
    from playwright.sync_api import expect

    page = keys.page
    page.get_by_role("checkbox", name="region").first.check()
    page.wait_for_function("() => document.querySelector('#keys-recoding-columns').textContent.includes('region')")
    assert steps(keys)[-1] == "region: key variable"
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("checkbox", name="region").first).not_to_be_checked()


def test_k_is_decided_here_too_and_what_is_no_k_is_refused(keys):
    page = keys.page
    box = page.locator("#keys-k_box")
    box.fill("1")
    box.press("Enter")
    page.get_by_text("k must be a whole number, 2 or more.").wait_for()
    box.fill("7")
    box.press("Enter")
    page.get_by_text("below k = 7").first.wait_for()
    assert steps(keys)[-1] == "k = 7"


def test_categories_are_merged_by_ticking_them(keys):
    page = keys.page
    page.get_by_label("Key to make coarser").select_option("tenure")
    form = page.locator("#keys-recoding-form")
    form.get_by_role("checkbox", name="tenant").wait_for()
    form.get_by_role("checkbox", name="tenant").check()
    form.get_by_role("checkbox", name="rent-free").check()
    form.get_by_label("What merged categories are called").fill("not owned")
    page.get_by_text("merge:not owned=[tenant,rent-free]").wait_for()
    page.get_by_role("button", name="Use it").click()
    page.get_by_text("not owned (2 categories)").wait_for()
    assert steps(keys)[-1] == "tenure: merge:not owned=[tenant,rent-free]"


def test_the_keys_of_a_risky_record_are_shown_on_demand_only(keys):
    page = keys.page
    page.get_by_text("The 15 riskiest records").click()
    table = page.get_by_role("region", name="The riskiest records")
    assert "tenure:" not in table.inner_text()
    number = int(table.locator("tbody th").first.inner_text())
    table.get_by_role("button", name="Show the keys").first.click()
    table.get_by_text("tenure:").wait_for()
    record = datasets.households().iloc[number - 1]
    assert ", ".join(f"{name}: {record[name]}" for name in KEYS) in table.inner_text()
    table.get_by_role("button", name="Hide").click()
    table.get_by_text("tenure:").wait_for(state="detached")


def test_the_cost_of_suppression_comes_before_the_decision(keys):
    page = keys.page
    part = page.locator("#keys-suppression-columns")
    part.get_by_role("checkbox", name="household_size").uncheck()
    page.get_by_role("button", name="What would it cost?").click()
    page.get_by_role("region", name="Cells that would be suppressed").wait_for(timeout=120_000)
    assert steps(keys) == ["The file was opened"]
    page.get_by_role("button", name="Suppress these cells").click()
    page.get_by_text("Decided: cells are suppressed in education, tenure.").wait_for()
    page.get_by_role("button", name="Do not suppress").click()
    page.get_by_text("Decided: cells are suppressed").wait_for(state="detached")
    assert steps(keys)[1:] == ["cells are suppressed in education, tenure", "no cells are suppressed"]


def test_html_in_names_and_categories_is_text(studio, tmp_path):
    page = studio.page
    name = "<b>zz</b>"
    table = pd.DataFrame({name: ["<i>x</i>", "<i>y</i>", "z"] * 20, "income": range(60)})
    table.to_csv(tmp_path / "html.csv", index=False)
    studio.open_file(tmp_path / "html.csv")
    studio.go("Keys")
    page.get_by_text("No column is a key variable.").wait_for()
    page.get_by_role("checkbox", name=name).first.check()
    page.locator("#keys-recoding-form").get_by_text("<i>x</i>").wait_for(timeout=60_000)
    assert page.locator("main b:has-text('zz'), main i:has-text('x')").count() == 0


def test_the_page_fits_every_width(keys):
    page = keys.page
    page.get_by_role("button", name="Use it").click()
    page.get_by_text("Decided: bands:width=10").wait_for()
    keys.settled()
    keys.picture("keys")
