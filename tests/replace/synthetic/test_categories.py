"""Categories are dealt anew: as many of each in every cell, likelier to those who look like having them."""

from __future__ import annotations

from collections import Counter
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

from shoal.replace.synthetic.categories import cells_of, chances_of, dealt, drawn_by_chance


def slow_cells(groups, kept, least):
    """Return the cells as sets of records, found by plain counting."""
    by_categories = sorted(kept, key=lambda one: len(set(one)))
    left, cells = set(range(len(groups))), []
    for used in range(len(kept), -1, -1):
        keys = {row: (groups[row], *(one[row] for one in by_categories[:used])) for row in left}
        for key in sorted(set(keys.values())):
            cell = {row for row in left if keys[row] == key}
            if len(cell) >= least:
                cells.append(cell)
                left = left - cell
    for group in sorted({groups[row] for row in left}):
        smallest = min((cell for cell in cells if groups[min(cell)] == group), key=len)
        smallest |= {row for row in left if groups[row] == group}
    return cells


@settings(deadline=None)
@given(st.data(), st.integers(2, 5), st.integers(0, 3), st.integers(1, 3))
def test_cells_are_combinations_of_kept_categories_with_enough_records(data, least, variables, several):
    sizes = data.draw(st.lists(st.integers(least, 4 * least), min_size=several, max_size=several))
    groups = np.repeat(np.arange(several), sizes)
    draws = st.lists(st.integers(0, 3), min_size=len(groups), max_size=len(groups))
    kept = [np.array(data.draw(draws)) for _ in range(variables)]
    cells = cells_of(groups, kept, least)
    expected = slow_cells(groups.tolist(), [one.tolist() for one in kept], least)
    found = [set(np.flatnonzero(cells == cell).tolist()) for cell in range(cells.max() + 1)]
    assert sorted(map(sorted, found)) == sorted(map(sorted, expected))
    assert np.bincount(cells).min() >= least


@settings(deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 5), st.integers(1, 6))
def test_every_cell_has_as_many_of_each_category_as_before(seed, categories, cells):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, categories, 80)
    codes[0] = categories - 1
    own = rng.integers(0, cells, 80)
    own = np.unique(own, return_inverse=True)[1]
    chances = np.where(rng.random((80, categories)) < 0.3, 1e-6, rng.random((80, categories)) + 1e-6)
    new = drawn_by_chance(codes, own, chances, rng)
    for cell in range(own.max() + 1):
        assert Counter(codes[own == cell].tolist()) == Counter(new[own == cell].tolist())


@settings(deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 300), st.booleans())
def test_rare_categories_are_dealt_inside_their_cells_too(seed, categories, predicted):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, categories, 300)
    codes[:150] = 0
    own = np.unique(rng.integers(0, 5, 300), return_inverse=True)[1]
    before = np.column_stack([codes == 0, rng.random(300)]).astype(float) if predicted else np.zeros((300, 0))
    new = dealt(codes, own, before, before, rng)
    assert Counter(zip(own.tolist(), codes.tolist(), strict=True)) == Counter(
        zip(own.tolist(), new.tolist(), strict=True)
    )


def test_with_equal_chances_every_permutation_is_as_likely():
    codes, cell = np.array([0, 0, 1, 2]), np.zeros(4, dtype=int)
    rng = np.random.default_rng(3)
    counts = Counter(tuple(drawn_by_chance(codes, cell, np.full((4, 3), 1 / 3), rng).tolist()) for _ in range(12_000))
    expected = set(permutations((0, 0, 1, 2)))
    assert set(counts) == expected and len(expected) == 12
    assert sum((count - 1000) ** 2 / 1000 for count in counts.values()) < 31  # chi-squared with 11 degrees, 0.1 %


def test_the_chances_are_those_of_multinomial_logistic_regression():
    """scikit-learn's, without a penalty."""
    rng = np.random.default_rng(0)
    before = rng.normal(size=(800, 2)) * [1, 1000]
    codes = np.argmax(
        np.column_stack([before[:, 0], before[:, 1] / 1000, 0 * before[:, 0]]) + rng.gumbel(size=(800, 3)), 1
    )
    after = before + rng.normal(size=(800, 2)) * [1, 1000]
    model = LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000).fit(before / [1, 1000], codes)
    expected = model.predict_proba(after / [1, 1000])
    assert np.abs(chances_of(codes, before, after) - expected).max() < 0.01


def test_columns_that_depend_on_others_and_extremes_do_no_harm():
    rng = np.random.default_rng(1)
    before = rng.normal(size=(400, 2))
    codes = (before[:, 0] + rng.normal(size=400) > 0).astype(int)
    more = np.column_stack([before, before.sum(axis=1), np.full(400, 7.0), np.zeros(400)])
    assert np.allclose(chances_of(codes, more, more), chances_of(codes, before, before), atol=1e-6)
    huge = before * [1e305, 1e-305]
    assert np.allclose(chances_of(codes, huge, huge), chances_of(codes, before, before), atol=1e-6)


def test_categories_of_few_records_share_one_model_and_no_record_is_singled_out():
    """One record alone has a category and an extreme value: a model of its own would deal it that category again."""
    rng = np.random.default_rng(2)
    before = rng.normal(size=(500, 1))
    before[0] = 50.0
    codes = np.where(before[:, 0] + rng.normal(size=500) > 0, 1, 0)
    codes[0] = 2
    assert chances_of(codes, before, before)[0, 2] > 0.5
    same = [dealt(codes, np.zeros(500, dtype=int), before, before, rng)[0] == 2 for _ in range(200)]
    assert np.mean(same) < 0.1


@pytest.mark.parametrize("strength", [0.5, 1.0, 3.0])
def test_the_relation_to_numbers_is_kept_in_expectation(strength):
    rng = np.random.default_rng(4)
    before = rng.normal(size=(1500, 2))
    codes = np.argmax(strength * np.column_stack([before, before.sum(axis=1)]) + rng.gumbel(size=(1500, 3)), axis=1)
    cell = np.zeros(1500, dtype=int)
    means = np.mean([by_category(before, dealt(codes, cell, before, before, rng)) for _ in range(40)], axis=0)
    assert np.abs(means - by_category(before, codes)).max() < 0.03


def test_what_has_no_relation_to_the_numbers_is_not_dealt_to_its_owner():
    rng = np.random.default_rng(5)
    kept, chance = [], []
    for _ in range(30):
        before, codes = rng.normal(size=(300, 8)), rng.choice(3, 300, p=[0.5, 0.3, 0.2])
        new = dealt(codes, np.zeros(300, dtype=int), before, before, rng)
        kept.append((new == codes).mean())
        chance.append((np.bincount(codes) / 300) @ (np.bincount(codes) / 300))
    assert np.mean(kept) < np.mean(chance) + 0.02


def by_category(values, codes):
    return np.array([values[codes == one].mean(axis=0) for one in range(3)])
