"""Counts that are published tell nothing of fewer than k records, nor does a difference of two."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from shoal.report.publish.counts import published_counts


@given(st.lists(st.integers(0, 60), min_size=1, max_size=5), st.integers(0, 40), st.integers(1, 12))
def test_no_two_counts_are_nearer_than_k(numbers, more, fewest):
    below = dict(zip(range(2, 7), sorted(numbers), strict=False))
    records = max(numbers) + more
    given_counts = published_counts(below, records, fewest)
    assert list(given_counts) == list(below)
    shown = sorted({0, records, *(count for count in given_counts.values() if count is not None)})
    inner = [count for count in shown if count in given_counts.values()]
    assert all(abs(one - other) >= fewest for one in inner for other in shown if one != other)
    assert all(count in (None, below[threshold]) for threshold, count in given_counts.items())


def test_all_is_said_inside():
    assert published_counts({2: 1, 3: 4, 5: 5}, 6, 1) == {2: 1, 3: 4, 5: 5}


def test_a_small_difference_is_not_given():
    assert published_counts({2: 10, 3: 12, 5: 40}, 100, 5) == {2: None, 3: 12, 5: 40}
    assert published_counts({2: 3, 5: 98}, 100, 5) == {2: None, 5: None}
    assert published_counts({2: 0, 5: 0}, 100, 5) == {2: 0, 5: 0}
