"""What `shoal protect` prints of a release, drawn from the same facts as its page."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import shoal
from shoal.errors import DisclosureWarning
from shoal.report.facts.collect import summarize
from shoal.report.page.sections import cards_of
from shoal.report.terminal.release import release_text

CONFIDENTIAL = ["FEDTAX", "TAXINC", "WSALVAL", "ERNVAL"]


def lines_of(release: shoal.Release, plan: Path | None = None, in_input_order: bool = False) -> dict[str, str]:
    """Return the text by the word at the beginning of each line."""
    evaluation = release.evaluate(measures=["sse", "information_loss", "categories_changed"])
    summary = summarize(release, "internal", evaluation, distributions=False)
    lines = release_text(summary, Path("masked.csv"), plan, in_input_order).splitlines()
    return {line[:12].strip(): line[12:] for line in lines}


def test_the_text_has_the_facts_of_the_release(census):
    release = shoal.protect(census.file, 5, seed=1)
    loss = release.evaluate(measures=["information_loss"]).information_loss
    worst = max(loss.by_column, key=loss.by_column.__getitem__)
    lines = lines_of(release, Path("plan.toml"))
    assert lines["protected"].startswith("13 of 13 columns of 1,080 records: AFNLWGT, AGI, EMCONTRB, ERNVAL and 9 more")
    assert lines["groups"] == "216 by mdav, 5 to 5 records each"
    assert lines["k"] == "5: every record is the same as at least 4 others over all 13 released columns"
    assert lines["unique"] == "0 of 1,080 records are unique"
    assert lines["linkage"].startswith(f"{release.headline['linkage']:.2f} % of the records are linked to their own")
    assert lines["support"] == "5, the fewest records behind any released value"
    assert lines["cost"] == "9.09 % of the variation is lost (SSE 1274.83)"  # the published value
    assert lines[""] == f"most in {worst}, {loss.by_column[worst]:.2f} %"
    assert lines["written"] == "masked.csv, rows in random order"
    assert lines["plan"].startswith("plan.toml (says which row is whose")
    assert lines["note"].startswith("Groups in which one record is more than 80 % of the sum: ")  # amounts have zeros
    assert not {"dropped", "as it is", "empty"} & set(lines)


@pytest.mark.parametrize("numbers", [True, False])
def test_what_categories_lose_is_said_with_numbers_and_without(numbers):
    rng = np.random.default_rng(2)
    data = pd.DataFrame({"town": rng.choice(list("abcde"), 60), "job": rng.choice(list("xyz"), 60)})
    if numbers:
        data["income"] = rng.lognormal(size=60)
    release = shoal.protect(data, 3, seed=1)
    changed = (release.data[["town", "job"]] != data[["town", "job"]]).to_numpy().mean()
    assert changed > 0
    text = f"{100 * changed:.2f} % of the cells of categories have another value, or none"
    assert lines_of(release)["" if numbers else "cost"] == text


def test_columns_that_are_not_protected_are_named(survey):
    lines = lines_of(survey.release)
    assert " within area, " in lines["groups"]
    assert lines["dropped"] == "household_id (identifiers)"
    assert lines["strata"] == "area (as they are: groups stay within them)"
    assert lines["as it is"].startswith("region, household_size, education, self_employment_income and ")
    assert lines["joined"].startswith("tenure, capital_income, ")


def test_records_without_an_observed_value_are_counted():
    table = shoal.datasets.households(60, seed=3)[["age", "tax", "savings"]].astype(float)
    table.loc[:1, ["age", "tax"]] = np.nan
    lines = lines_of(shoal.protect(table, 3, blocks=[["age", "tax"], ["savings"]], missing="keep", seed=1))
    assert "in 2 blocks" in lines["protected"]
    assert lines["empty"] == "2 records have no observed value in a block and stay empty there"
    assert lines["k"].startswith("1: ")
    assert lines["k"].endswith(" of 60 records are unique over all 3 released columns")


@pytest.mark.parametrize(
    ("replace", "groups", "support"),
    [
        ("hybrid", "33 by mdav, 20 to 120 records each", "20, the fewest records rewritten together"),
        ("ipso", "none: all records are rewritten together", None),
        ("muralidhar-sarathy", "none: all records are rewritten together", None),
        ("fuzzy-regression:n_clusters=3", "none: all records are rewritten together", None),
    ],
)
def test_the_text_speaks_of_rewriting(census, replace, groups, support):
    with pytest.warns(DisclosureWarning, match="NOT PROTECTED .9.: AFNLWGT, AGI, "):
        release = shoal.protect(census.file, 20, replace=replace, confidential=CONFIDENTIAL, seed=1)
    lines = lines_of(release)
    name = replace.partition(":")[0]
    assert lines["rewritten"] == f"4 of 13 columns of 1,080 records by {name}: FEDTAX, TAXINC, WSALVAL, ERNVAL"
    assert lines["groups"] == groups
    assert lines["k"] == "none is promised: synthetic values are new for every record"
    assert (
        lines["alike"] == "1, the fewest records alike: 1,080 of 1,080 records are unique over all 13 released columns"
    )
    assert lines.get("support") == support
    assert lines["cost"].startswith("values moved by ")
    assert lines["now float"].endswith("(were whole numbers, are synthetic)")
    assert not any("behind any released value" in line or "is lost" in line for line in lines.values())


def test_the_text_needs_no_distributions_and_nothing_measures_them(census, monkeypatch):
    whole = census.summary("internal").model_copy(update={"proven": None})  # which is not computed for the text either
    monkeypatch.setattr("shoal.report.facts.collect.shape_of_amounts", None)
    monkeypatch.setattr("shoal.report.facts.collect.correlations_of", None)
    brief = summarize(census.release, "internal", census.evaluation, distributions=False)
    texts = [release_text(one, Path("m.csv"), None, False) for one in (whole, brief)]
    assert texts[0] == texts[1]


def test_units_are_counted_in_the_first_lines_and_on_the_page():
    rng = np.random.default_rng(3)
    hid = np.repeat(np.arange(50), rng.integers(1, 5, 50))
    frame = pd.DataFrame({"hid": hid, "rent": rng.random(50)[hid], "wage": rng.random(len(hid))})
    release = shoal.protect(frame, 3, unit="hid", seed=1)
    unique = release.plan.outcome.unique_units
    lines = lines_of(release)
    assert lines["units"] == f"50 of hid; {unique} unique by the set of their records"
    assert lines["k"].startswith("3: at least 3 different units are behind every combination of values over all 2")
    assert lines["support"] == "3, the fewest different units behind any released value"
    summary = summarize(release, "internal", release.evaluate(measures=["sse"]), distributions=False)
    assert f"{unique} Unique units" in [f"{card.value} {card.title}" for card in cards_of(summary)]
    assert summary.released_as_is == []
    public = summarize(release, "public", release.evaluate(measures=["sse"]), distributions=False)
    assert public.units.unique is None or public.units.unique == 0 or 3 <= public.units.unique <= 47
    assert "units" not in lines_of(shoal.protect(frame, 3, unit="hid", drop_unit=True, seed=1))
