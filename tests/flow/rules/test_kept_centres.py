"""Centres drawn by membership keep conditions, products, definitions and whole numbers."""

from __future__ import annotations

from contextlib import nullcontext

import numpy as np
import pandas as pd
import pytest

import shoal
from shoal.edits import parse_rule
from shoal.errors import DataError, RuleError, TooFewRecordsError
from shoal.flow.explained_rules import explain
from shoal.flow.settle import settle
from unchanged_columns import not_protected, run_part

DRAWN = ("fuzzy", "entropy", "at-least-k", "fuzzy:n_clusters=20", "fuzzy:part=30")
RULES = ["value == price * amount + fee", "amount is integer", "1 <= amount <= 9", 'if kind == "gift" then fee == 0']
RULES += ["if amount < 4 then price >= 5", "total == value + fee"]


def sales(n=150, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"amount": rng.integers(1, 10, n), "kind": rng.choice(["gift", "sale"], n)})
    frame["price"] = np.where(frame["amount"] < 4, 5.0, 0.0) + np.exp(rng.normal(size=n)).round(2)
    frame["fee"] = np.where(frame["kind"] == "gift", 0.0, rng.uniform(1, 3, n).round(2))
    frame["value"] = frame["price"] * frame["amount"] + frame["fee"]
    frame["total"] = frame["value"] + frame["fee"]
    return frame


def protect(frame, k=4, **options):
    """Protect all numbers; a text stays as it is, which is expected to be said."""
    numbers = list(frame.select_dtypes("number"))
    kinds = dict.fromkeys(numbers, "continuous")
    with not_protected() if set(frame) - {*numbers, options.get("strata")} else nullcontext():
        return shoal.protect(
            frame, k, **{"replace": "membership-draw", "columns": numbers, "kinds": kinds, "seed": 1, **options}
        )


@pytest.mark.parametrize("method", DRAWN)
@pytest.mark.parametrize("k", [2, 5])
def test_rules_hold_without_tolerance_and_every_centre_has_k(method, k):
    """In plain pandas: what a rule says, computed in its order."""
    frame = sales()
    release = protect(frame, k, method=method, edits=RULES)
    masked = release.data
    assert (masked["value"] == masked["price"] * masked["amount"] + masked["fee"]).all()
    assert (masked["total"] == masked["value"] + masked["fee"]).all()
    assert (masked["amount"] == masked["amount"].round()).all()
    assert masked["amount"].between(1, 9).all()
    assert (masked.loc[masked["kind"] == "gift", "fee"] == 0).all()
    assert (masked.loc[masked["amount"] < 4, "price"] >= 5).all()
    assert masked.groupby(release.plan.columns).size().min() >= k
    assert release.plan.outcome.smallest_support >= k
    assert release.evaluate().unchanged.records == 0
    assert release.plan.outcome.notes[0] == "All 6 rules hold in the release."


def test_a_plan_repeats_it_and_strata_stay_apart(tmp_path):
    frame = sales().assign(area=["north", "south", "south"] * 50)
    release = protect(frame, 3, strata="area", method="fuzzy", edits=RULES)
    release.plan.to_toml(tmp_path / "plan.toml")
    again = run_part(shoal.Plan.from_toml(tmp_path / "plan.toml"), frame)
    pd.testing.assert_frame_equal(again.data, release.data, check_exact=True)
    labels = release.partitions[0].labels
    assert pd.Series(frame["area"]).groupby(labels).nunique().max() == 1
    assert pd.Series(frame["kind"]).groupby(labels).nunique().max() == 1  # the condition splits the file


def test_blocks_without_such_rules_are_drawn_as_they_are():
    frame = sales()[["amount", "price"]].assign(weight=np.random.default_rng(1).normal(size=150), height=1.0)
    frame["height"] += frame["weight"] ** 2
    options = {"blocks": [["amount", "price"], ["weight", "height"]], "method": "fuzzy"}
    with pytest.warns(shoal.errors.DisclosureWarning):
        ruled = protect(frame, edits=["amount is integer"], **options).data
    with pytest.warns(shoal.errors.DisclosureWarning):
        plain = protect(frame, **options).data
    pd.testing.assert_frame_equal(ruled[["weight", "height"]], plain[["weight", "height"]], check_exact=True)
    assert (ruled["amount"] == ruled["amount"].round()).all()


def test_a_file_that_breaks_a_sum_is_repaired_if_asked():
    frame = sales()
    frame["total"] += np.random.default_rng(2).normal(size=len(frame)).round(1)
    with pytest.raises(DataError, match=r"set repair=True \(--repair\)\.$"):
        protect(frame, method="fuzzy", edits=RULES)
    masked = protect(frame, method="fuzzy", edits=RULES, repair=True).data
    assert all(not parse_rule(rule).broken(_records(masked), tolerance=0.0).any() for rule in RULES)
    frame["value"] += 1
    with pytest.raises(DataError, match='break the rule "value == price'):
        protect(frame, method="fuzzy", edits=RULES, repair=True)


def _records(frame):
    from shoal.edits.checked_records import TableRecords
    from shoal.read import as_table

    return TableRecords(as_table(frame), as_table(frame))


def test_what_no_centre_keeps_is_refused_by_name_before_masking():
    """The average of -1 and 1 is 0, and half the way to either of them is not far enough."""
    frame = pd.DataFrame({"x": [-1.0, 1.0] * 30, "y": [-1.0, 1.0] * 30})
    kinds = dict.fromkeys("xy", "continuous")
    settled = settle(frame, 3, method="fuzzy:n_clusters=1", edits=["x * y >= 1"], kinds=kinds, seed=1)
    messages = []
    for refusing in (lambda: explain(settled.plan, settled.table), lambda: settled.plan.run(frame)):
        with pytest.raises(RuleError, match=r'keep the rule "x \* y >= 1" .* use the method "mdav"') as refused:
            refusing()
        messages.append(str(refused.value))
    assert messages[0] == messages[1]


def test_a_condition_that_separates_too_few_records_is_refused():
    frame = sales()[["price"]].assign(rare=0.0)
    frame.loc[:1, ["price", "rare"]] = [[99.0, 5.0], [99.0, 6.0]]
    with pytest.raises(TooFewRecordsError, match="separates 2 records"):
        protect(frame, 3, method="fuzzy", edits=["if price < 99 then rare == 0"])
