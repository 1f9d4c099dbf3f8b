"""Linear relations between columns are found, missing values or not, and nothing else is taken for one."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.describe.tied_columns import tied_columns

RNG = np.random.default_rng(5)
N = 200
NET, TAX, AGE = RNG.lognormal(10, 1, N), RNG.lognormal(8, 1, N), RNG.normal(40, 10, N)


def with_missing(column, share, seed):
    column = column.copy()
    column[np.random.default_rng(seed).random(len(column)) < share] = np.nan
    return column


@pytest.mark.parametrize("scale", [1.0, 1e200, 1e-200])
def test_two_currencies_and_a_sum_are_two_sets(scale):
    columns = {"eur": AGE, "age": NET - TAX**2, "net": NET, "tax": TAX, "usd": 1.25 * AGE + 3, "gross": NET + TAX}
    columns = {name: column * scale for name, column in columns.items()}
    assert sorted(tied_columns(columns)) == [("eur", "usd"), ("net", "tax", "gross")]


def test_missing_values_and_cents_do_not_hide_a_relation():
    columns = {"net": NET.round(2), "age": AGE, "gross": (NET + TAX).round(2), "tax": TAX.round(2)}
    columns = {name: with_missing(column, 0.2, place) for place, (name, column) in enumerate(columns.items())}
    assert tied_columns(columns) == [("net", "gross", "tax")]


def test_few_common_records_do_not_hide_a_relation_of_two():
    """Thirty columns with half their values missing have no record in common."""
    columns = {f"v{place}": with_missing(RNG.normal(size=N), 0.5, place) for place in range(30)}
    columns["twice"] = with_missing(2 * columns["v7"], 0.1, 99)
    assert ("v7", "twice") in tied_columns(columns)


def test_columns_that_are_merely_alike_are_not_tied():
    assert tied_columns({"x": AGE, "y": AGE + RNG.normal(0, 0.5, N), "same": np.ones(N)}) == []
    assert tied_columns({"x": AGE}) == []
    assert tied_columns({"x": np.full(N, np.nan), "y": AGE}) == []


def test_a_relation_is_found_in_a_very_small_file():
    tax, net = np.array([8, 6, 4, np.nan, 34, 17]), np.array([125.0, 30, 186, 212, 43, 92])
    gross = np.array([133.0, 36, 190, 246, 77, 109])
    assert tied_columns({"tax": tax, "gross": gross, "net": net}) == [("tax", "gross", "net")]


def test_a_pair_with_few_common_records_is_compared_by_itself():
    nan = np.nan
    x = np.array([72, nan, 24, 311, nan, nan, 28, 67, 26, nan, nan] + [nan] * 10)
    y = np.array([nan, 38.75, 30.0, 388.75, 265.0, 82.5, nan, 83.75, 32.5, 36.25, 66.25] + [nan] * 10)
    others = {f"v{place}": np.random.default_rng(place).normal(size=21) for place in range(4)}
    assert ("x", "y") in tied_columns({**others, "x": x, "y": y})


def test_columns_of_a_very_small_file_that_cannot_be_compared_count_as_tied():
    nan = np.nan
    x, y = np.array([55, 125, nan, 195, 67, 81]), np.array([nan, nan, 10, 9, nan, nan])
    assert tied_columns({"x": x, "y": y, "sum": np.array([69, nan, 66, nan, nan, nan])}) == [("x", "y", "sum")]


def test_a_sum_of_two_is_found_where_all_columns_have_few_records_in_common():
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=40), rng.normal(size=40)
    columns = {"x": with_missing(x, 0.4, 1), "y": with_missing(y, 0.4, 2), "sum": with_missing(x + y, 0.4, 3)}
    others = {f"v{place}": with_missing(rng.normal(size=40), 0.4, 10 + place) for place in range(4)}
    assert ("x", "y", "sum") in tied_columns({**others, **columns})
