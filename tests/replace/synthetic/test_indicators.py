"""Categories as columns of a regression: rare ones are one, and the others have an indicator each, but for one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.replace.synthetic.indicators import indicators, pooled


@given(st.lists(st.integers(0, 8), min_size=6, max_size=60), st.integers(2, 6))
def test_no_category_has_fewer_than_asked_and_frequent_ones_stay_apart(codes, least):
    codes = np.array(codes)
    new = pooled(codes, least)
    assert np.bincount(new).min() >= least
    assert all(len(np.unique(new[codes == one])) == 1 for one in np.unique(codes))
    sizes = {one: int((codes == one).sum()) for one in np.unique(codes)}
    rare = [one for one, size in sizes.items() if size < least]
    joined = len(sizes) - len(np.unique(new)) + 1  # how many old ones are in the new one that has several
    enough = sum(sizes[one] for one in rare) >= least
    assert joined == (1 if not rare else len(rare) if enough else min(len(rare) + 1, len(sizes)))


@pytest.mark.parametrize(
    ("codes", "expected"),
    [
        ([0, 0, 0, 1, 1, 1, 1], [0, 0, 0, 1, 1, 1, 1]),
        ([0, 0, 0, 0, 1, 1, 1, 2], [1, 1, 1, 1, 0, 0, 0, 0]),  # one record alone joins the smallest of the others
        ([0, 0, 0, 0, 1, 2, 3], [1, 1, 1, 1, 0, 0, 0]),  # three records alone are enough together
        ([5, 5, 9], [0, 0, 0]),
    ],
)
def test_rare_categories_are_taken_together(codes, expected):
    assert pooled(np.array(codes), 3).tolist() == expected


def test_the_most_frequent_category_has_no_indicator():
    codes = pooled(np.array([7, 7, 7, 7, 2, 2, 2, 4, 4]), 2)
    columns = indicators(codes)
    assert columns.shape == (9, 2)
    assert columns.sum(axis=0).tolist() == [2.0, 3.0]
    assert not columns[:4].any()
    assert indicators(np.zeros(4, dtype=int)).shape == (4, 0)
