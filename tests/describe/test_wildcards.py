"""Records that agree, a missing value agreeing with every value, are counted as if every pair were compared."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal.describe.wildcards as wildcards
from shoal.describe.wildcards import agreeing_records, agreeing_sums


def by_pairs(columns, of, amounts):
    agree = np.ones((len(of[0]), len(columns[0])), dtype=bool)
    for own, other in zip(of, columns, strict=True):
        agree &= (own[:, None] == other) | (own[:, None] < 0) | (other < 0)
    return np.where(agree, amounts, 0).sum(axis=1)


@st.composite
def tables(draw):
    keys, sizes = draw(st.integers(1, 5)), (draw(st.integers(1, 40)), draw(st.integers(1, 40)))
    values = draw(st.integers(1, 4))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    missing = draw(st.sampled_from([0.0, 0.1, 0.5, 1.0]))
    draws = [[rng.integers(0, values, size) for _ in range(keys)] for size in sizes]
    for columns in draws:
        for column in columns[draw(st.integers(0, keys)) :]:
            column[rng.random(len(column)) < missing] = -1
    return draws[0], draws[1], rng.integers(1, 100, sizes[0]) / 4


@pytest.mark.parametrize("few", [0, 2**17], ids=["divided", "compared"])
@given(tables())
def test_every_pair_counts_once(few, tables):
    columns, of, amounts = tables
    before = wildcards._FEW_PAIRS, wildcards._PAIRS_A_ROW
    wildcards._FEW_PAIRS, wildcards._PAIRS_A_ROW = (few, 0) if not few else before
    try:
        both = np.column_stack([np.ones(len(amounts)), amounts])
        sums = agreeing_sums(columns, both)
        assert sums[:, 0].tolist() == by_pairs(columns, columns, np.ones(len(amounts))).tolist()
        assert sums[:, 1] == pytest.approx(by_pairs(columns, columns, amounts))
        assert agreeing_sums(columns, both, of=of)[:, 1] == pytest.approx(by_pairs(columns, of, amounts))
        assert agreeing_records(columns, len(amounts)).tolist() == sums[:, 0].tolist()
    finally:
        wildcards._FEW_PAIRS, wildcards._PAIRS_A_ROW = before


def test_work_has_a_limit_where_one_is_given():
    rng = np.random.default_rng(1)
    columns = [rng.integers(-1, 3, 500) for _ in range(6)]
    assert agreeing_records(columns, 500, most=10) is None
    assert agreeing_records(columns, 500, most=10**9).min() >= 1


def test_without_columns_all_agree():
    assert agreeing_records([], 4).tolist() == [4, 4, 4, 4]
