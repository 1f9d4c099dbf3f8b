"""Distance-based record linkage: published values, brute force, and what must not change it."""

from __future__ import annotations

import json
import os
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from oracles.slow_headline import linkage
from shoal.errors import ColumnError, NotApplicableError, ParameterError
from shoal.measure.risk.counterparts import distinct_records, search_by_tree, search_in_blocks, search_through
from shoal.measure.risk.distance_linkage import distance_linkage, linkage_over_subsets
from shoal.progress import listening

DIRECTIONS = ("original-to-masked", "masked-to-original")
TIES = ("expected", "any", "unique")
# The order of the columns in another public copy of Census (METHODS.md, order B).
ORDER_B = ["AFNLWGT", "AGI", "EMCONTRB", "FEDTAX", "PTOTVAL", "STATETAX", "TAXINC", "POTHVAL", "INTVAL", "PEARNVAL"]
ORDER_B += ["FICA", "WSALVAL", "ERNVAL"]


@pytest.fixture(scope="module")
def census(reference_data):
    return pd.read_csv(reference_data("census.csv"))


@pytest.mark.parametrize(("k", "direction", "worked"), [(3, 0, 28.64), (3, 1, 31.57), (10, 1, 8.70)])
def test_census_masked_by_mdav(census, k, direction, worked):
    """The values worked out in METHODS.md, section 6."""
    masked = shoal.protect(census, k).data
    assert distance_linkage(census, masked, direction=DIRECTIONS[direction]) == pytest.approx(worked, abs=0.005)


def test_census_in_blocks_of_three(census):
    """METHODS.md, section 6: 98.2 with all 13 variables at k=5."""
    masked = shoal.protect(census, 5, blocks=3).data
    assert distance_linkage(census, masked) == pytest.approx(98.2, abs=0.05)


def test_census_in_blocks_of_three_over_all_subsets(census):
    """METHODS.md, section 6: 32.5 at k=6; columns in order B, masked to original, each file on its own scale."""
    census = census[ORDER_B]
    masked = shoal.protect(census, 6, blocks=3).data
    found = distance_linkage(census, masked, known="subsets", direction="masked-to-original")
    assert found == pytest.approx(32.5, abs=0.05)
    assert found.known == ORDER_B[:7] and list(found.by_number) == list("1234567")
    assert found.by_number["7"] == pytest.approx(
        distance_linkage(census, masked, columns=ORDER_B[:7], direction="masked-to-original")
    )


def test_the_toy_of_methods():
    """METHODS.md, section 6."""
    original = pd.DataFrame({"x": [0.0, 1, 2, 10, 11, 12]})
    masked = pd.DataFrame({"x": [1.0, 1, 1, 11, 11, 11]})
    found = distance_linkage(original, masked)
    assert found == pytest.approx(100 / 3) and (found.any, found.unique) == (100, 0)
    assert [distance_linkage(original, masked, ties=rule) for rule in TIES] == [found.expected, found.any, found.unique]


def test_an_unchanged_file_without_duplicates_is_found_whole():
    table = shoal.datasets.expenditure()
    for direction in DIRECTIONS:
        assert distance_linkage(table, table, direction=direction, ties="unique") == 100


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_one_group_hides_everybody(census, direction):
    """With k = n all masked records are the mean: the linkage is a draw among n, or finds the one nearest to it."""
    masked = pd.DataFrame(np.tile(census.mean(), (len(census), 1)), columns=census.columns)
    assert distance_linkage(census, masked, direction=direction) == pytest.approx(100 / len(census))


def by_definition(one: np.ndarray, other: np.ndarray, numbers: int) -> list[int]:
    """Count the nearest records in exact arithmetic on whole numbers: 0 where the true one is not among them."""
    counts = []
    for i, record in enumerate(one):
        distances = [
            sum(
                (Fraction(x) - Fraction(y)) ** 2 if j < numbers else 2 * (x != y)
                for j, (x, y) in enumerate(zip(record, another, strict=True))
            )
            for another in other
        ]
        nearest = min(distances)
        counts.append(distances.count(nearest) if distances[i] == nearest else 0)
    return counts


@st.composite
def files(draw, most: int = 150) -> tuple[np.ndarray, np.ndarray, int]:
    """Two files with ties, duplicates or neither, of numbers and categories, in which many records stay near."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n, columns = draw(st.integers(1, most)), draw(st.integers(1, 5))
    values = draw(st.sampled_from([1, 2, 3, 10, 1000]))
    original = rng.integers(0, values, (n, columns)).astype(float)
    masked = np.where(rng.random((n, columns)) < 0.3, rng.permuted(original, axis=0), original)
    return original, masked, draw(st.integers(0, columns))


@given(files(most=40), st.booleans())
def test_going_through_all_records_keeps_to_the_definition(both, reverse):
    original, masked, numbers = both
    one, other = (masked, original) if reverse else (original, masked)
    assert search_through(one, other, other, numbers).tolist() == by_definition(one, other, numbers)


@given(files(), st.booleans(), st.sampled_from([0.0, 1e-3, 1.0]))
def test_compiled_searches_find_what_going_through_all_records_finds(both, reverse, noise):
    original, masked, numbers = both
    rng = np.random.default_rng(1)
    masked[:, :numbers] += noise * rng.normal(size=(len(masked), numbers))
    one, other = (masked, original) if reverse else (original, masked)
    some = np.sort(rng.choice(len(one), rng.integers(1, len(one) + 1), replace=False))
    through = search_through(one[some], other[some], other, numbers).tolist()
    assert search_in_blocks(one[some], other[some], other, numbers).tolist() == through
    assert search_by_tree(one[some], other[some], other, numbers).tolist() == through


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_a_larger_file_gives_the_same_either_way_and_in_one_thread(monkeypatch, direction):
    rng = np.random.default_rng(5)
    original = rng.lognormal(size=(3000, 4))
    masked = shoal.protect(original, 4, blocks=2).data
    through = distance_linkage(original, masked, columns=["0", "1", "2"], direction=direction)
    monkeypatch.setattr("shoal.measure.risk.distance_linkage._WORTH_COMPILING", 0)
    by_tree = distance_linkage(original, masked, columns=["0", "1", "2"], direction=direction)
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    alone = distance_linkage(original, masked, columns=["0", "1", "2"], direction=direction)
    assert through == by_tree == alone and through.parts == by_tree.parts == alone.parts


@given(files())
def test_distinct_records_are_distinct_and_none_is_lost(both):
    X = np.where(both[0] == 0, -0.0, both[0])
    points, counts = distinct_records(np.vstack([X, both[0]]))
    rows, expected = np.unique(np.vstack([X, both[0]]), axis=0, return_counts=True)
    order = np.lexsort(points.T[::-1])
    assert (points[order] == rows).all() and counts[order].tolist() == expected.tolist()


@given(files(most=60), st.sampled_from(DIRECTIONS), st.sampled_from(["own", "original"]), st.integers(0, 99))
def test_neither_the_order_of_the_records_nor_the_units_matter(both, direction, scale, seed):
    rng = np.random.default_rng(seed)
    original, masked = (pd.DataFrame(X).add_prefix("x") for X in both[:2])
    if original.nunique().max() < 2:
        return
    found = distance_linkage(original, masked, direction=direction, scale=scale)
    order, units = rng.permutation(len(original)), 10 ** rng.uniform(-5, 5, original.shape[1])
    again = distance_linkage(original.iloc[order] * units, masked.iloc[order] * units, direction=direction, scale=scale)
    assert [again.parts[rule] for rule in TIES] == pytest.approx([found.parts[rule] for rule in TIES], rel=1e-9)


@pytest.mark.parametrize("categories", [8, 700])  # by a tree over their indicators, and too many for one
def test_a_larger_file_of_numbers_and_categories_gives_the_same_either_way(monkeypatch, categories):
    rng = np.random.default_rng(6)
    original = pd.DataFrame(rng.lognormal(size=(2500, 3)), columns=list("xyz"))
    original["town"] = [f"t{code}" for code in rng.zipf(1.4, 2500) % categories]
    original["sex"] = rng.choice(["f", "m"], 2500)
    masked = shoal.protect(original, 4, columns=list(original)).data
    through = distance_linkage(original, masked)
    monkeypatch.setattr("shoal.measure.risk.distance_linkage._WORTH_COMPILING", 0)
    compiled = distance_linkage(original, masked)
    assert through == compiled and through.parts == compiled.parts


@pytest.mark.parametrize(("apart", "linked"), [(1.40, 100), (1.43, 75)])
def test_another_category_is_as_far_as_the_root_of_two_standard_deviations(apart, linked):
    """The first record moves up by so much and keeps its town; at its old place is a record of another town."""
    x = np.array([0.0, 0.0, 10.0, 10.0])
    x /= x.std(ddof=1)
    original = pd.DataFrame({"x": x, "town": list("abab")})
    masked = original.assign(x=x + np.array([apart, 0, 0, 0]))
    found = distance_linkage(original, masked, known=["x", "town"], scale="original", ties="any")
    assert found == linked


def test_categories_add_the_same_where_they_differ():
    original = pd.DataFrame({"town": list("aabb"), "sex": list("mfmf")})
    masked = pd.DataFrame({"town": list("aabb"), "sex": list("mmmf")})
    found = distance_linkage(original, masked)
    # Record 1 is like 1 and 2. From record 2, a woman now a man, 1 and 2 differ in sex and 4 in town.
    assert found == pytest.approx(100 * (1 / 2 + 1 / 3 + 1 + 1) / 4)
    mixed = distance_linkage(original.assign(x=[0.0, 1, 2, 3]), masked.assign(x=[0.0, 1, 2, 3]))
    assert mixed == 100 and mixed.known == ["town", "sex", "x"]


def test_records_with_missing_values_are_looked_for_too():
    original = pd.DataFrame({"x": [0.0, None, 2, 3], "c": ["a", "a", "b", "b"]})
    masked = pd.DataFrame({"x": [0.0, 0.0, 2, 3], "c": ["a", "a", "b", "b"]})
    found = distance_linkage(original, masked)
    assert found == 75 and found.records == 4  # a category: records 1 and 2 are as near to masked 1 as to 2
    over_subsets = distance_linkage(original, masked, known="subsets")
    alone = [distance_linkage(original, masked, known=[name]) for name in ("x", "c")]
    assert over_subsets == pytest.approx((found + sum(alone)) / 3) and over_subsets.records == 4


def test_a_missing_value_is_a_category():
    """It lies at the mean of the numbers, and is one more mismatch."""
    original = pd.DataFrame({"x": [0.0, None, 2, 3, None], "c": ["a", "a", "b", None, "a"]})
    masked = pd.DataFrame({"x": [0.0, None, None, 3, None], "c": ["a", "a", "b", None, "b"]})
    both = [[list(row) for row in frame.astype(object).itertuples(index=False)] for frame in (original, masked)]
    found = distance_linkage(original, masked)
    assert found.records == 5 and found == pytest.approx(linkage(*both, [True, False]))
    assert distance_linkage(original, masked.assign(x=np.nan)).records == 5


def test_what_is_constant_in_the_original_tells_nothing():
    original = pd.DataFrame({"x": [0.0, 1, 2], "one": [5.0, 5, 5], "same": list("aaa"), "gone": [np.nan] * 3})
    masked = pd.DataFrame({"x": [0.0, 1, 2], "one": [1.0, 9, 5], "same": list("abc"), "gone": [1.0, 2, 3]})
    found = distance_linkage(original, masked)
    assert found == 100 and found.known == ["x"] and found.records == 3
    with pytest.raises(NotApplicableError, match="a variable that varies"):
        distance_linkage(original, masked, known=["one", "same", "gone"])
    with pytest.raises(NotApplicableError, match="a variable that varies"):
        distance_linkage(original.iloc[:1], masked.iloc[:1])


@pytest.mark.filterwarnings("error")
def test_numbers_at_the_ends_of_floating_point():
    """A masked file far out of the original's range is still compared, without a warning."""
    original = pd.DataFrame({"x": [0.0, 1e-300, 2e-300], "y": [0.0, 1e300, 2e300]})
    masked = pd.DataFrame({"x": [0.0, 1e300, 2e300], "y": [0.0, 1e-300, 2e-300]})
    assert distance_linkage(original, original, scale="original") == 100
    for scale in ("own", "original"):
        assert 0 <= distance_linkage(original, masked, scale=scale) <= 100


def test_the_scale_of_the_original_shows_that_masking_shrinks():
    """Shrunk to a quarter, a file is found whole on its own scale; on the original's, -2 and 2 are nearer the ends."""
    original = pd.DataFrame({"x": [-4.0, -2, 0, 2, 4]})
    assert distance_linkage(original, original / 4) == 100
    assert distance_linkage(original, original / 4, scale="original") == pytest.approx(100 * 3 / 5)


def test_subsets_of_fewer_than_seven_variables():
    original = pd.DataFrame({"x": [0.0, 0, 1, 1], "y": [0.0, 1, 0, 1]})
    found = distance_linkage(original, original, known="subsets")
    assert found == pytest.approx((50 + 50 + 100) / 3)
    assert found.by_number == {"1": 50, "2": 100} and found.sampled is None


def test_subsets_of_the_columns_that_are_named():
    """The average over each column and both together, of the three."""
    rng = np.random.default_rng(0)
    original = pd.DataFrame(rng.normal(size=(40, 9))).add_prefix("x")
    masked = original + rng.normal(size=original.shape)
    found = linkage_over_subsets(original, masked, known=["x8", "x2"], ties="any")
    single = [distance_linkage(original, masked, known=known, ties="any") for known in (["x2"], ["x8"], ["x2", "x8"])]
    assert found == pytest.approx(np.mean(single)) and found.known == ["x2", "x8"]
    first = linkage_over_subsets(original, masked, known=[f"x{place}" for place in range(7)])
    assert first == linkage_over_subsets(original, masked) == distance_linkage(original, masked, known="subsets")
    wide = pd.DataFrame(rng.normal(size=(5, 13))).add_prefix("x")
    with pytest.raises(ParameterError, match="known names 13 columns; subsets of more than 12 are too many"):
        linkage_over_subsets(wide, wide, known=list(wide))


def test_a_sample_estimates_the_average_over_subsets():
    """With 2,000 of 20,001 records per subset, four standard errors are within 2.5 percentage points."""
    rng = np.random.default_rng(0)
    original = np.round(rng.normal(size=(20_001, 3)), 1)
    masked = original + 0.1 * rng.normal(size=original.shape)
    whole = distance_linkage(original, masked, known="subsets", sample=None)
    found = distance_linkage(original, masked, known="subsets")
    assert (whole.sampled, found.sampled) == (None, 2000)
    assert found == pytest.approx(whole, abs=2.5) and found != whole
    assert found == distance_linkage(original, masked, known="subsets")
    assert found != distance_linkage(original, masked, known="subsets", seed=1)


def test_a_large_file_is_sampled():
    rng = np.random.default_rng(0)
    original = rng.normal(size=(20_001, 3))
    masked = original + 0.1 * rng.normal(size=original.shape)
    whole = distance_linkage(original, masked, sample=None)
    found = [distance_linkage(original, masked, sample=2_000, seed=seed) for seed in range(30)]
    assert (whole.sampled, found[0].sampled) == (None, 2000)
    assert "standard_error" not in whole.parts
    assert np.mean(found) == pytest.approx(whole, abs=4 * found[0].standard_error / np.sqrt(30))
    assert np.std(found, ddof=1) == pytest.approx(found[0].standard_error, rel=0.5)
    assert distance_linkage(original[:-1], masked[:-1], sample=2_000).sampled is None
    assert distance_linkage(original, masked).sampled == 10_000  # most records differ
    assert distance_linkage(original, np.round(original)).sampled is None


def test_above_100_000_records_ten_thousand_are_looked_for():
    original = np.random.default_rng(0).normal(size=(100_001, 2))
    assert distance_linkage(original, np.round(original)).sampled == 10_000
    assert distance_linkage(original[:-1], np.round(original[:-1])).sampled is None


@pytest.mark.parametrize("known", [None, "subsets"])
def test_progress_ends_at_one_and_the_value_is_ready_for_json(known):
    table = shoal.datasets.expenditure()
    masked = shoal.protect(table, 3).data
    done: list[float] = []
    with listening(done.append):
        found = distance_linkage(table, masked, known=known)
    assert sum(done) == pytest.approx(1)
    assert json.loads(json.dumps(found.parts))["expected"] == found


@pytest.mark.parametrize(
    ("option", "error"),
    [
        ({"direction": "both"}, ParameterError),
        ({"ties": "first"}, ParameterError),
        ({"scale": "masked"}, ParameterError),
        ({"sample": 0}, ParameterError),
        ({"seed": -1}, ParameterError),
        ({"known": "all"}, ParameterError),
        ({"known": 3}, ParameterError),
        ({"known": []}, ColumnError),
        ({"known": ["z"]}, ColumnError),
    ],
)
def test_options_that_cannot_be_used(option, error):
    table = pd.DataFrame({"x": [0.0, 1, 2]})
    with pytest.raises(error, match=next(iter(option))):
        distance_linkage(table, table, **option)
