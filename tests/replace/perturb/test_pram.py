"""PRAM: frequencies are kept in expectation, and every category is drawn by its row of the matrix."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles.slow_pram import even_matrix, expected, invariant_matrix
from shoal.errors import MethodError, ParameterError
from shoal.parameters.choices import build, written_form
from shoal.replace.perturb.base import Part
from shoal.replace.perturb.pram import PRAM
from shoal.replace.synthetic.synthetic import added_up

REGISTRY = {"pram": PRAM}
THREE = [[0.9, 0.1, 0.0], [0.3, 0.5, 0.2], [0.0, 0.0, 1.0]]

counts = st.lists(st.integers(1, 10_000), min_size=1, max_size=8)
shares = st.sampled_from([0.0, 0.125, 0.5, 0.8, 0.99, 1.0])


def codes_of(frequencies):
    return np.repeat(np.arange(len(frequencies)), frequencies)


def part_of(column, *, kind="nominal", **more):
    column = np.asarray(column, dtype=np.float64)
    return Part({"a": column}, {"a": kind}, {}, 3, **more)


def drawn(method, column, seed=0, **more):
    part = part_of(column, **more)
    taken = method.perturbed(part, np.random.default_rng([seed, 1])).taken["a"]
    return part.values["a"][taken]


@st.composite
def random_matrices(draw, size):
    """Rows of whole numbers, zeros among them, divided by their sums: exact in fractions."""
    rows = st.lists(st.integers(0, 5), min_size=size, max_size=size).filter(any)
    return [[Fraction(one, sum(row)) for one in row] for row in draw(st.lists(rows, min_size=size, max_size=size))]


@given(counts, shares, shares, st.booleans())
def test_the_invariant_matrix_keeps_expected_frequencies(frequencies, pd, alpha, neighbours):
    """T R = T in exact arithmetic, but for the rounding of R itself."""
    R = PRAM(pd=pd, alpha=alpha, neighbours=neighbours).transition(codes_of(frequencies))
    T = [Fraction(one) for one in frequencies]
    after = expected(T, [[Fraction(one) for one in row] for row in R.tolist()])
    assert all(abs(new - old) <= sum(T) * Fraction(1, 10**15) for new, old in zip(after, T, strict=True))
    assert R.min() >= 0
    assert np.abs(R.sum(axis=1) - 1).max() < 1e-15 * 10


@given(counts, shares, shares)
def test_the_matrix_is_that_of_the_definition(frequencies, pd, alpha):
    R = PRAM(pd=pd, alpha=alpha).transition(codes_of(frequencies))
    T = [Fraction(one) for one in frequencies]
    exact = invariant_matrix(even_matrix(len(T), Fraction(pd)), T, Fraction(alpha))
    assert expected(T, exact) == T  # what the formula promises, without rounding
    assert R.tolist() == [pytest.approx([float(one) for one in row], abs=1e-14) for row in exact]
    assert R.diagonal().min() >= 1 - alpha - 1e-15


@given(st.data(), st.integers(1, 6))
def test_the_invariant_matrix_of_a_given_one(data, size):
    P = data.draw(random_matrices(size))
    frequencies = data.draw(st.lists(st.integers(1, 50), min_size=size, max_size=size))
    own = [[float(one) for one in row] for row in P]
    R = PRAM(matrix=own, alpha=1).transition(codes_of(frequencies))
    exact = invariant_matrix(P, [Fraction(one) for one in frequencies], Fraction(1))
    assert R.tolist() == [pytest.approx([float(one) for one in row], abs=1e-13) for row in exact]
    assert PRAM(matrix=own, invariant=False).transition(codes_of(frequencies)) == pytest.approx(np.array(own))


@given(st.lists(st.floats(1e-3, 1e6), min_size=2, max_size=40), st.integers(0, 99))
def test_weighted_frequencies_are_kept(weights, seed):
    codes = np.random.default_rng(seed).integers(0, 4, len(weights))
    R = PRAM().transition(codes, weights)
    present, places = np.unique(codes, return_inverse=True)
    T = [sum(Fraction(one) for one, place in zip(weights, places, strict=True) if place == i) for i in range(len(R))]
    after = expected(T, [[Fraction(one) for one in row] for row in R.tolist()])
    assert len(R) == len(present)
    assert all(abs(new - old) <= sum(T) * Fraction(1, 10**14) for new, old in zip(after, T, strict=True))


@given(counts, shares)
def test_neighbours_only(frequencies, pd):
    method = PRAM(pd=pd, neighbours=True)
    R = method.transition(codes_of(frequencies))
    apart = np.abs(np.subtract.outer(np.arange(len(R)), np.arange(len(R))))
    assert (R[apart > 1] == 0).all()
    assert R.diagonal().min() >= 1 - 0.5 * (1 - pd) - 1e-15
    if pd < 1:
        assert (R[apart == 1] > 0).all()
    # Nominal variables have no neighbours.
    same = PRAM(pd=pd).transition(codes_of(frequencies))
    assert np.array_equal(method.transition(codes_of(frequencies), kind="nominal"), same)


def test_records_of_an_ordinal_column_move_one_step():
    column = np.random.default_rng(0).integers(0, 6, 5000).astype(float)
    method = PRAM(pd=0.2, neighbours=True)
    moved = np.abs(drawn(method, column, kind="ordinal") - column)
    assert set(moved) == {0, 1}
    assert np.abs(drawn(method, column, kind="nominal") - column).max() > 1


def test_draws_follow_the_matrix():
    """200,000 draws from each row are within five standard errors of their chances."""
    n = 200_000
    column = np.repeat([0.0, 1.0, 2.0], [n, n, n])
    for method in (PRAM(matrix=THREE, invariant=False), PRAM(matrix=THREE, alpha=0.7), PRAM(pd=0.3, alpha=1)):
        R = method.transition(column)
        new = drawn(method, column).reshape(3, n)
        found = np.array([[(row == j).mean() for j in range(3)] for row in new])
        assert (np.abs(found - R) <= 5 * np.sqrt(R * (1 - R) / n) + 1e-12).all()


def test_what_has_no_chance_never_comes():
    column = np.repeat([0.0, 1.0, 2.0], 1000)
    new = drawn(PRAM(matrix=[[0, 1, 0], [0, 0, 1], [1, 0, 0]], invariant=False), column)
    assert np.array_equal(new, np.repeat([1.0, 2.0, 0.0], 1000))


@pytest.mark.parametrize("chance", [0.0, 1 - 2.0**-53])
def test_the_least_and_the_largest_number_drawn_are_no_exception(chance):
    class Same:
        def random(self, size):
            return np.full(size, chance)

    part = part_of(np.repeat([0.0, 1.0, 2.0], 4))
    rows = [[0, 0.3, 0.7], [0, 1, 0], [0.1, 0.9, 0]]
    taken = PRAM(matrix=rows, invariant=False).perturbed(part, Same()).taken["a"]
    new = part.values["a"][taken].astype(int)
    assert all(rows[old][one] > 0 for old, one in zip(part.values["a"].astype(int), new, strict=True))


def test_a_matrix_of_ones_own_with_neighbours():
    """What leads beyond the next category is added to staying."""
    own = [[0.2, 0.5, 0.3], [0.1, 0.8, 0.1], [0.6, 0.4, 0.0]]
    codes = np.repeat([0, 1, 2], [10, 20, 40])
    near = [[0.5, 0.5, 0.0], [0.1, 0.8, 0.1], [0.0, 0.4, 0.6]]
    assert PRAM(matrix=own, neighbours=True, invariant=False).transition(codes) == pytest.approx(np.array(near))
    # 5 would go from the first to the second and 2 back, 2 from the second to the third and 16 back.
    both = [[0.8, 0.2, 0.0], [0.1, 0.8, 0.1], [0.0, 0.05, 0.95]]
    assert PRAM(matrix=own, neighbours=True, alpha=1).transition(codes) == pytest.approx(np.array(both))


def test_frequencies_after_many_releases_are_those_before():
    """The mean over 400 releases is within five standard errors; a category of two records is drawn like others."""
    frequencies = np.array([2, 30, 168, 300])
    column = codes_of(frequencies)
    releases = np.array([np.bincount(drawn(PRAM(), column, seed).astype(int), minlength=4) for seed in range(400)])
    error = releases.std(axis=0) / np.sqrt(len(releases))
    assert (np.abs(releases.mean(axis=0) - frequencies) <= 5 * error).all()
    assert releases[:, 0].std() > 0


@given(
    st.lists(st.sampled_from([0.0, 1.0, 2.0, 5.0, np.nan]), min_size=1, max_size=30),
    st.integers(0, 99),
    st.sampled_from(["nominal", "ordinal"]),
    st.booleans(),
)
def test_missing_values_stay_and_rows_have_the_category_they_give(column, seed, kind, neighbours):
    part = part_of(column, kind=kind)
    before = part.values["a"].copy()
    result = PRAM(pd=0.1, alpha=1, neighbours=neighbours).perturbed(part, np.random.default_rng(seed))
    new = before[result.taken["a"]]
    assert np.array_equal(np.isnan(new), np.isnan(before))
    assert set(new[~np.isnan(new)]) <= set(before[~np.isnan(before)])
    stays = ~(new != before) | np.isnan(before)
    assert np.array_equal(result.taken["a"][stays], np.flatnonzero(stays))
    (tally,) = result.tallies
    assert (tally.count, tally.of) == (int((~stays).sum()), int((~np.isnan(before)).sum()))
    assert np.array_equal(part.values["a"], before, equal_nan=True)


def test_a_category_nobody_has_cannot_come_out():
    """Codes 0 and 2 of three: what leads to 1 is added to staying."""
    column = np.repeat([0.0, 2.0], [600, 400])
    own = [[0.5, 0.3, 0.2], [0.1, 0.8, 0.1], [0.0, 0.6, 0.4]]
    method = PRAM(matrix=own, invariant=False)
    assert method.transition(column) == pytest.approx(np.array([[0.8, 0.2], [0.0, 1.0]]))
    assert set(drawn(method, column)) == {0.0, 2.0}


def test_all_alike_all_missing_and_one_record():
    assert PRAM().transition([0, 0, 0]).tolist() == [[1.0]]
    assert PRAM().transition([-1, np.nan]).shape == (0, 0)
    assert drawn(PRAM(pd=0.0), [4.0, 4.0]).tolist() == [4.0, 4.0]
    assert drawn(PRAM(), [7.0]).tolist() == [7.0]
    assert np.isnan(drawn(PRAM(), [np.nan, np.nan])).all()
    assert np.array_equal(drawn(PRAM(pd=1.0), np.arange(9.0)), np.arange(9.0))
    assert np.array_equal(drawn(PRAM(alpha=0.0), np.arange(9.0)), np.arange(9.0))


@given(st.integers(0, 99), st.booleans())
def test_units_are_drawn_whole_where_they_have_one_value(seed, of_units):
    rng = np.random.default_rng(seed)
    units = rng.integers(0, 10, 40)
    column = rng.integers(0, 4, 10)[units] if of_units else rng.integers(0, 4, 40)
    new = drawn(PRAM(pd=0.0, alpha=1), column, seed, units=units)
    values = [set(new[units == one]) for one in np.unique(units)]
    if of_units:
        assert all(len(one) == 1 for one in values)
    else:
        assert max(len(one) for one in values) > 1


def test_the_same_seed_gives_the_same_values():
    column = np.arange(500.0) % 7
    assert np.array_equal(drawn(PRAM(), column, 5), drawn(PRAM(), column, 5))
    assert not np.array_equal(drawn(PRAM(), column, 5), drawn(PRAM(), column, 6))


def test_named_categories_are_put_in_the_order_of_the_variable():
    own = PRAM(matrix=THREE, categories=["b", "a", "c"], invariant=False)
    with pytest.raises(ParameterError, match="for_labels"):
        own.transition([0, 1, 2])
    ordered = own.for_labels(["a", "b", "c"])
    assert ordered.transition([0, 1, 2]) == pytest.approx(np.array([[0.5, 0.3, 0.2], [0.1, 0.9, 0], [0, 0, 1]]))
    # "b" is nobody's, numbers and texts are the same name, and a category without a row is refused, unnamed.
    assert own.for_labels(["a", "c"]).transition([0, 1]) == pytest.approx(np.array([[0.8, 0.2], [0, 1]]))
    assert PRAM(matrix=THREE, categories=[1, "2", 3.0]).for_labels([1.0, 2, "3"]).matrix == PRAM(matrix=THREE).matrix
    with pytest.raises(ParameterError, match="no row for 1 of the 2 categories") as error:
        own.for_labels(["a", "secret"])
    assert "secret" not in str(error.value)
    assert PRAM().for_labels(["a"]) == PRAM()


def test_notes_count_what_changed_and_bear_any_name():
    values = np.repeat([0.0, 1.0], 50)
    part = Part({"a{b}": values, "c": np.zeros(100)}, {"a{b}": "nominal", "c": "nominal"}, {}, 3)
    result = PRAM(matrix=[[0, 1], [1, 0]], invariant=False).perturbed(part, np.random.default_rng(0))
    assert added_up(result.tallies) == (
        'PRAM changed 100 of 100 values of "a{b}".',
        'PRAM changed no value of "c".',
    )
    assert result.computed == {}


@pytest.mark.parametrize("name", PRAM.limits)
def test_bad_parameters_are_refused(name):
    for value in PRAM.limits[name].bad_values():
        with pytest.raises(ParameterError, match=name):
            PRAM(**{name: value})


def test_a_matrix_has_to_fit():
    with pytest.raises(ParameterError, match="categories must name the rows of matrix, 3 of them; it names 2"):
        PRAM(matrix=THREE, categories=["a", "b"])
    with pytest.raises(ParameterError, match="0 of them; it names 2"):
        PRAM(categories=["a", "b"])
    with pytest.raises(ParameterError, match="matrix has 3 rows, and the variable has more"):
        PRAM(matrix=THREE).transition([0, 1, 2, 3])
    with pytest.raises(MethodError, match="up to 1000 categories; there are 1001"):
        PRAM().transition(np.arange(1001))


@pytest.mark.parametrize(
    ("text", "method"),
    [
        ("pram", PRAM()),
        ("pram:pd=.5,neighbours=true", PRAM(pd=0.5, neighbours=True)),
        (
            "pram:matrix=[[0.9,0.1],[0.0,1.0]],categories=[x,y],invariant=false",
            PRAM(matrix=[[0.9, 0.1], [0.0, 1.0]], categories=["x", "y"], invariant=False),
        ),
    ],
)
def test_a_plan_and_the_command_line_can_hold_it(text, method):
    assert build(written_form(text, REGISTRY, "replace"), REGISTRY, "replace") == method
    assert build(written_form(method, REGISTRY, "replace"), REGISTRY, "replace") == method


def test_testdata(reference_data):
    """Roofs of 4,580 persons: weighted frequencies in expectation to 1e-12, and in each release roughly."""
    data = pd.read_csv(reference_data("testdata.csv"))
    codes, weights = pd.factorize(data["roof"], sort=True)[0], data["sampling_weight"].to_numpy(float)
    T = np.bincount(codes, weights)
    R = PRAM().transition(codes, weights)
    assert (T[:, None] * R).sum(axis=0) == pytest.approx(T, rel=1e-12)
    units = pd.factorize(data["ori_hid"])[0]
    new = drawn(PRAM(), codes, weights=weights, units=units).astype(int)
    assert np.abs(np.bincount(new, weights, minlength=len(T)) - T).sum() < 0.05 * T.sum()
    assert 0.02 < (new != codes).mean() < 0.3
