"""Suppressed cells are the fewest by brute force, and k holds with them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.slow_suppression import agrees, category_holds, least_cost, subsets_hold, wildcard_holds, without
from shoal.errors import ParameterError, TooFewRecordsError
from shoal.recode.suppression import suppressed_cells


@st.composite
def tiny_files(draw, most_cells=10):
    keys = draw(st.integers(1, 3))
    records = draw(st.integers(2, most_cells // keys))
    rows = draw(st.lists(st.tuples(*[st.integers(-1, 2)] * keys), min_size=records, max_size=records))
    importance = draw(st.lists(st.sampled_from([1.0, 1.0, 2.0, 0.5, 3.0]), min_size=keys, max_size=keys))
    return rows, importance


def columns_of(rows):
    return [np.array(column, dtype=np.int64) for column in zip(*rows, strict=True)]


def released_rows(rows, cells):
    return without(rows, {(int(i), int(j)) for i, j in np.argwhere(cells)})


@pytest.mark.randomised
@settings(max_examples=150)
@given(tiny_files(), st.integers(1, 3), st.data())
def test_wildcard_cells_are_the_fewest(file, k, data):
    rows, importance = file
    strata = data.draw(st.lists(st.integers(0, 1), min_size=len(rows), max_size=len(rows)))
    fixed = data.draw(st.lists(st.booleans(), min_size=len(rows[0]), max_size=len(rows[0])))
    subsets = data.draw(st.dictionaries(st.integers(1, len(rows[0])), st.integers(1, 4), max_size=1))
    options = {"strata": np.array(strata), "fixed": fixed, "subsets": subsets, "importance": importance}
    best = least_cost(rows, k, "wildcard", importance, strata=strata, fixed=fixed, subsets=subsets)
    if best is None:
        with pytest.raises(TooFewRecordsError):
            suppressed_cells(columns_of(rows), k, **options)
        return
    found = suppressed_cells(columns_of(rows), k, **options)
    released = released_rows(rows, found.cells)
    assert wildcard_holds(rows, released, k, strata)
    assert subsets_hold(rows, released, subsets, strata)
    assert found.cost == found.lower_bound == pytest.approx(best)
    assert not found.cells[:, np.array(fixed)].any()
    assert not (found.cells & (np.array(rows) < 0)).any()


@pytest.mark.randomised
@settings(max_examples=60)
@given(tiny_files(), st.integers(1, 3), st.data())
def test_category_cells_are_the_fewest(file, k, data):
    rows, importance = file
    strata = data.draw(st.lists(st.integers(0, 1), min_size=len(rows), max_size=len(rows)))
    fixed = data.draw(st.lists(st.booleans(), min_size=len(rows[0]), max_size=len(rows[0])))
    options = {"strata": np.array(strata), "fixed": fixed, "importance": importance, "missing": "category"}
    best = least_cost(rows, k, "category", importance, strata=strata, fixed=fixed)
    if best is None:
        with pytest.raises(TooFewRecordsError):
            suppressed_cells(columns_of(rows), k, **options)
        return
    found = suppressed_cells(columns_of(rows), k, **options)
    assert category_holds(released_rows(rows, found.cells), k, strata, range(len(rows)))
    assert found.lower_bound == pytest.approx(found.cost, rel=1e-5)
    assert found.cost == pytest.approx(best)
    assert not found.cells[:, np.array(fixed)].any()


@pytest.mark.randomised
@settings(max_examples=60)
@given(tiny_files(), st.integers(1, 3), st.data())
def test_k_units_carry_every_combination(file, k, data):
    rows, importance = file
    units = data.draw(st.lists(st.integers(0, 3), min_size=len(rows), max_size=len(rows)))
    options = {"units": np.array(units), "importance": importance, "missing": "category"}
    best = least_cost(rows, k, "category", importance, units=units)
    if best is None:
        with pytest.raises(TooFewRecordsError):
            suppressed_cells(columns_of(rows), k, **options)
        return
    found = suppressed_cells(columns_of(rows), k, **options)
    assert category_holds(released_rows(rows, found.cells), k, [0] * len(rows), units)
    assert found.lower_bound <= best + 1e-9
    assert found.cost >= best - 1e-9


def random_columns(seed, records, sizes, absent=0.0):
    rng = np.random.default_rng(seed)
    columns = [rng.integers(0, size, records) for size in sizes]
    return [np.where(rng.random(records) < absent, -1, column) for column in columns]


@pytest.mark.parametrize("missing", ["wildcard", "category"])
@pytest.mark.parametrize("absent", [0.0, 0.1])
@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_records_does_not_matter(missing, absent, seed):
    columns = random_columns(seed, 300, [2, 3, 4, 5], absent)
    order = np.random.default_rng(seed).permutation(300)
    found = suppressed_cells(columns, 3, missing=missing)
    again = suppressed_cells([column[order] for column in columns], 3, missing=missing)

    def released(some, cells):
        return sorted(map(tuple, np.where(cells, -1, np.column_stack(some)).tolist()))

    assert released(columns, found.cells) == released([column[order] for column in columns], again.cells)
    assert found.lower_bound == again.lower_bound


@pytest.mark.parametrize("with_units", [False, True])
@pytest.mark.parametrize("absent", [0.0, 0.05])
@pytest.mark.parametrize("k", [2, 3, 7])
def test_category_holds_in_larger_files(k, absent, with_units):
    columns = [*random_columns(k, 600, [2]), *random_columns(k + 1, 600, [3, 6, 8], absent)]
    units = np.random.default_rng(k).integers(0, 250, 600) if with_units else None
    strata = np.random.default_rng(1).integers(0, 3, 600)
    found = suppressed_cells(columns, k, missing="category", units=units, strata=strata, fixed=[True] + [False] * 3)
    released = [tuple(row) for row in np.where(found.cells, -1, np.column_stack(columns)).tolist()]
    assert category_holds(released, k, strata.tolist(), range(600) if units is None else units.tolist())
    assert 0 < found.lower_bound <= found.cost


def test_wildcard_k_holds_as_others_count_it():
    """After suppression every record agrees with k, where a missing value of either agrees with every value."""
    columns = random_columns(5, 200, [3, 4, 5], 0.05)
    found = suppressed_cells(columns, 4)
    released = [tuple(row) for row in np.where(found.cells, -1, np.column_stack(columns)).tolist()]
    assert all(sum(agrees(one, other) for other in released) >= 4 for one in released)


def test_records_alike_lose_the_same_cells():
    columns = random_columns(2, 200, [3, 4, 5])
    found = suppressed_cells(columns, 5)
    rows = np.column_stack(columns)
    for row in np.unique(rows, axis=0):
        assert len(np.unique(found.cells[(rows == row).all(axis=1)], axis=0)) == 1


def test_an_important_key_is_kept():
    columns = [np.array([0, 0, 0, 1]), np.array([0, 0, 1, 1])]
    assert suppressed_cells(columns, 2, importance=[1, 9]).cells.sum(axis=0).tolist() == [2, 0]
    assert suppressed_cells(columns, 2, importance=[9, 1]).cells.sum(axis=0).tolist() == [1, 1]


def test_of_equals_the_set_with_more_records_is_taken():
    """The first record can lose either key; two others have its first value, three its second."""
    columns = [np.array([1, 1, 1, 2, 2, 2]), np.array([5, 6, 6, 5, 5, 5])]
    assert np.argwhere(suppressed_cells(columns, 2).cells).tolist() == [[0, 0]]


def test_of_equals_the_first_keys_are_kept():
    columns = [np.array([1, 1, 1, 2, 2]), np.array([5, 6, 6, 5, 5])]
    assert np.argwhere(suppressed_cells(columns, 2).cells).tolist() == [[0, 1]]


@pytest.mark.parametrize("missing", ["wildcard", "category"])
def test_too_few_records_are_refused_with_their_number(missing):
    columns, strata = [np.array([0, 1, 0, 1, 0])], np.array([0, 0, 0, 1, 1])
    with pytest.raises(TooFewRecordsError) as refused:
        suppressed_cells(columns, 3, strata=strata, missing=missing)
    assert (refused.value.k, refused.value.records) == (3, 2)


def test_too_few_units_are_refused():
    with pytest.raises(TooFewRecordsError) as refused:
        suppressed_cells([np.zeros(6, dtype=np.int64)], 3, missing="category", units=np.array([0, 0, 0, 1, 1, 1]))
    assert refused.value.records == 2


@pytest.mark.parametrize(
    "options",
    [
        {"k": 0},
        {"k": 2.5},
        {"missing": "star"},
        {"importance": [0.0]},
        {"importance": [float("nan")]},
        {"units": np.zeros(3, dtype=np.int64)},
        {"missing": "category", "subsets": {1: 2}},
        {"subsets": {2: 2}},
        {"subsets": {1: 0}},
    ],
)
def test_what_cannot_be_used_is_refused(options):
    with pytest.raises(ParameterError):
        suppressed_cells([np.array([0, 1, 1])], **{"k": 2, **options})


@pytest.mark.parametrize("nearest", [0, 10**9], ids=["by chains", "by nearest records"])
@pytest.mark.parametrize("absent", [0.0, 0.1])
def test_a_search_that_is_cut_short_has_an_honest_bound(monkeypatch, nearest, absent):
    columns = random_columns(3, 150, [4, 5, 6, 7, 8], absent)
    best = suppressed_cells(columns, 4)
    monkeypatch.setattr("shoal.recode.suppression.wildcard._MOST_CELLS", 1)
    monkeypatch.setattr("shoal.recode.suppression.wildcard._MOST_NEAREST", nearest)
    found = suppressed_cells(columns, 4)
    rows = [tuple(row) for row in np.column_stack(columns).tolist()]
    assert wildcard_holds(rows, released_rows(rows, found.cells), 4, [0] * 150)
    assert found.lower_bound <= best.cost <= found.cost
    assert best.gap == 0.0
    assert found.gap > 0.0


def test_with_many_keys_category_holds_with_an_honest_bound(monkeypatch):
    columns = random_columns(4, 120, [3, 3, 4, 4])
    best = suppressed_cells(columns, 3, missing="category")
    monkeypatch.setattr("shoal.recode.suppression.classes._MOST_SETS", 5)
    found = suppressed_cells(columns, 3, missing="category")
    rows = [tuple(row) for row in np.column_stack(columns).tolist()]
    assert category_holds(released_rows(rows, found.cells), 3, [0] * 120, range(120))
    assert found.lower_bound <= best.cost
    assert best.lower_bound <= found.cost


def test_nothing_is_suppressed_where_k_holds():
    for missing in ("wildcard", "category"):
        found = suppressed_cells([np.array([0, 0, 1, 1])], 2, missing=missing)
        assert (found.count, found.cost, found.lower_bound, found.gap) == (0, 0.0, 0.0, 0.0)


def test_a_key_that_is_never_suppressed_stays_where_others_miss_it():
    rng = np.random.default_rng(5)
    columns = [rng.integers(-1, 3, 60), rng.integers(0, 3, 60), rng.integers(0, 3, 60)]
    found = suppressed_cells(columns, 3, missing="category", fixed=[True, False, False])
    assert found.count > 0
    assert not found.cells[:, 0].any()
