"""The file split so that every rule holds throughout a part."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from shoal.edits import parse_rules
from shoal.edits.checked_records import TableRecords
from shoal.edits.evaluation import holds
from shoal.edits.keep.block_edits import edits_of_block
from shoal.edits.keep.cells import cells_of
from shoal.errors import DataError, TooFewRecordsError
from shoal.read import as_table


def cells(frame, *texts, k=3, parts=None, repair=False):
    table = as_table(frame)
    block = [name for name in table.names if table.is_numeric(name)]
    words = [name for name in table.names if name not in block]
    edits = edits_of_block(block, parse_rules(texts), dict.fromkeys(block, "continuous"), block, words, repair=repair)
    parts = np.zeros(len(table), dtype=np.int64) if parts is None else parts
    found = cells_of(edits, TableRecords(table, table), parts, frame[block].to_numpy(float), k, repair=repair)
    for cell, atoms in enumerate(found.atoms):
        for atom in atoms:  # what a cell is for
            records = TableRecords(table, table)
            missing = np.logical_or.reduce([records.missing(name) for name in atom.variables])
            satisfied = holds(atom.source, records) | missing
            assert repair or satisfied[found.codes == cell].all()
    assert np.bincount(found.codes).min() >= k
    return found


def test_one_cell_where_no_rule_has_a_choice():
    frame = pd.DataFrame({"a": range(10), "b": range(1, 11)})
    assert np.ptp(cells(frame, "a <= b").codes) == 0


def test_the_antecedent_splits_the_file():
    frame = pd.DataFrame({"a": [1, 2, 3, 7, 8, 9, 9], "b": [0, 0, 0, 5, 9, 1, 2], "c": [1, 1, 1, 0, 0, 0, 0]})
    assert cells(frame, "if a < 5 then b <= c").codes.tolist() == [1, 1, 1, 0, 0, 0, 0]


def test_what_holds_everywhere_splits_nothing():
    frame = pd.DataFrame({"a": [1, 2, 3, 7, 8, 9, 9], "b": [0] * 7, "c": [1] * 7})
    assert np.ptp(cells(frame, "if a < 5 then b <= c").codes) == 0


def test_few_records_take_in_the_nearest_that_keep_the_rule_too():
    frame = pd.DataFrame({"a": [1.0, 9, 6, 7, 9, 9, 9, 9], "b": [0.0, 0, 9, 0, 0, 9, 9, 9], "c": [1.0] * 8})
    found = cells(frame, "if a < 5 then b <= c", k=3)
    # The record with a = 1 satisfies b <= c alone; of those that do, 7 and the first 9 are nearest.
    assert np.flatnonzero(found.codes == found.codes[0]).tolist() == [0, 1, 3]
    (filled,) = found.filled
    assert (
        '"if a < 5 then b <= c" separates 1 record from the others; grouped with the nearest 2 that satisfy the same'
        in filled
    )


def test_few_records_that_nobody_can_join_are_refused_with_the_rule_and_their_number():
    frame = pd.DataFrame({"a": [1.0, 1, 8, 7, 9, 9], "b": [0.0, 0, 9, 9, 9, 9], "c": [1.0] * 6})
    with pytest.raises(
        TooFewRecordsError, match=r'"if a < 5 then b <= c" separates 2 records from the others, and k=3'
    ):
        cells(frame, "if a < 5 then b <= c", k=3)


def test_a_cell_does_not_take_so_many_that_the_giver_falls_short():
    frame = pd.DataFrame({"a": [1.0, 9, 9, 9], "b": [0.0, 0, 9, 9], "c": [1.0] * 4})
    with pytest.raises(TooFewRecordsError):
        cells(frame, "if a < 5 then b <= c", k=3)


def test_no_cell_crosses_a_part():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.normal(size=60), "b": rng.normal(size=60)})
    frame["c"] = np.where(frame.a < 0, frame.b + 1, frame.b - 1)
    parts = rng.integers(0, 2, 60)
    found = cells(frame, "if a < 0 then b <= c", parts=parts)
    for cell in range(found.codes.max() + 1):
        assert set(parts[found.codes == cell]) == {found.parts[cell]}


def test_an_equality_in_a_condition_splits_below_it_above_it_and_at_it():
    frame = pd.DataFrame({"a": [-1.0] * 3 + [0.0] * 3 + [1.0] * 3, "b": [5.0] * 3 + [0.0] * 3 + [5.0] * 3})
    found = cells(frame, "if a == 0 then b == 0")
    assert len(set(found.codes)) == 3  # an average of -1 and 1 would be 0


def test_products_are_split_by_sign_where_that_leaves_k():
    frame = pd.DataFrame({"a": [-1.0, -2, -3, 1, 2, 3, 0], "b": [1.0] * 7})
    frame["p"] = frame.a * frame.b
    found = cells(frame, "a * b == p")
    assert len(set(found.codes[:3])) == 1
    assert len(set(found.codes)) == 2  # the single zero joins its neighbours


def test_many_conditions_make_many_cells_all_large_enough():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.normal(size=(300, 4)), columns=list("abcd"))
    frame["e"] = frame[list("abcd")].max(axis=1)
    rules = [f"if {name} < {bound} then {name} <= e" for name in "abcd" for bound in (-0.5, 0.5)]
    rules += ["a != 0.1", "if b > 0 then a + c <= e + e"]
    kept = [text for text in rules if not parse_rules(text)[0].broken(TableRecords(as_table(frame))).any()]
    cells(frame, *kept, k=5)


def test_a_missing_value_satisfies_every_alternative():
    frame = pd.DataFrame({"a": [1.0, 2, 3, 7, 8, 9, np.nan], "b": [9.0, 9, 9, 5, 9, 1, 2], "c": [10.0] * 3 + [0.0] * 4})
    found = cells(frame, "if a < 5 then b <= c")
    assert found.codes[6] in found.codes[:6]
    assert len(set(found.codes)) == 2


def test_sums_and_bounds_that_are_repaired_need_not_hold():
    frame = pd.DataFrame({"a": [1.0, 2, 3], "b": [1.0, 2, 3], "c": [0.0, 4, 5]})
    assert cells(frame, "a + b == c", "c >= 1", repair=True).codes.tolist() == [0, 0, 0]
    with pytest.raises(DataError, match='1 records satisfy the rule "c >= 1" only in a way that no representative'):
        cells(frame, "c >= 1")


def test_cells_in_which_the_same_holds_are_alike():
    frame = pd.DataFrame({"a": [1.0] * 6 + [9.0] * 6, "b": [0.0] * 6 + [9.0] * 6, "c": [1.0] * 12})
    found = cells(frame, "if a < 5 then b <= c", parts=np.array([0, 0, 0, 1, 1, 1] * 2))
    assert sorted(map(sorted, found.alike())) == [[0, 2], [1, 3]]
    assert found.parts.tolist() == [0, 0, 1, 1]
