"""Rules as they are in every record: violations, the nearest values, and what rules leave no room for."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.edits import parse_rules
from shoal.edits.checked_records import NumericRecords
from shoal.edits.keep.records.record_edits import edits_of_records
from shoal.edits.keep.records.record_rules import RecordRules


def rules_of(rules, columns, rewritten, decimals=None, whole=()):
    kinds = dict.fromkeys(columns, "continuous")
    edits = edits_of_records(rewritten, parse_rules(rules), kinds, (), whole)
    records = NumericRecords({name: np.array(values, dtype=float) for name, values in columns.items()})
    return RecordRules(edits, records, {**dict.fromkeys(edits.whole, 0), **(decimals or {})})


COLUMNS = {"y": [1.0, 2, 3, np.nan], "a": [0.0, 1, 2, 3], "b": [1.0, 1, 1, 1]}


def kept(rules, targets):
    found = rules.kept(np.array(targets, dtype=float), np.arange(len(targets)))
    assert found.hold.all()
    return found.values


def test_a_bound_by_what_stays_differs_between_records_and_ends_where_that_is_missing():
    rules = rules_of(["a <= y"], COLUMNS, ["a"])
    assert rules.violations(np.full((4, 1), 2.5)).tolist() == pytest.approx(
        [1.5 / rules.scale[0], 0.5 / rules.scale[0], 0, 0]
    )
    assert kept(rules, np.full((4, 1), 2.5))[:, 0].tolist() == [1, 2, 2.5, 2.5]


def test_a_condition_is_kept_as_the_original_keeps_it():
    rules = rules_of(["if a < 1.5 then b <= 1"], COLUMNS, ["a", "b"])
    values = kept(rules, [[1.4, 7], [1.4, 7], [1.4, 7], [9, 9]])
    assert (values[:2, 1] == 1).all()  # a stays below 1.5
    assert values[2, 0] == 1.5 and values[2, 1] == 7  # of the two ways in which this one keeps it, the nearer
    assert values[3].tolist() == [9, 9]  # which keeps it already


def test_whole_numbers_and_listed_values_hold_beside_sums():
    columns = {"n": [1.0, 2, 3], "v": [2.0, 5, 9], "s": [3.5, 7.5, 12.5], "x": [0.5, 0.5, 0.5]}
    rules = rules_of(
        ["n is integer", "v in {2, 5, 9}", "s == n + v + x", "x >= 0"], columns, list(columns), whole=["n"]
    )
    values = kept(rules, [[1.4, 3.9, 1, 7], [2.6, 8, 90, -1], [0.2, 0.0, 4, 0]])
    assert (values[:, 0] == np.rint(values[:, 0])).all() and set(values[:, 1]) <= {2, 5, 9}
    assert (values[:, 2] == values[:, 0] + values[:, 1] + values[:, 3]).all() and (values[:, 3] >= 0).all()


def test_what_sums_give_from_what_stays_is_found():
    found = rules_of(["a + b == y", "a - b == 0"], {**COLUMNS, "y": [1.0, 2, 3, 4]}, ["a", "b"]).determined()
    assert found is not None and found[0] == "a"
    assert rules_of(["a + b == y"], {**COLUMNS, "y": [1.0, 2, 3, 4]}, ["a", "b"]).determined() is None


def test_sides_through_the_original_are_counted():
    rules = rules_of(["a >= 0", "a + b == 3", "b <= 1"], {"a": [0.0, 2], "b": [3.0, 1]}, ["a", "b"])
    assert rules.tight().tolist() == [3, 3]
    assert [rule.text for rule in rules.tight_rules(1)] == ["a + b == 3", "b <= 1"]
