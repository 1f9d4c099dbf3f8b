"""Probabilistic linkage against a version that writes down every pair, and the worked values of the methods."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.errors import NotApplicableError, ParameterError
from shoal.measure.risk.probabilistic_linkage import probabilistic_linkage


def standardise(X: np.ndarray) -> np.ndarray:
    return (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)


def with_every_pair(sought: np.ndarray, pool: np.ndarray, tolerance: float = 0.1, fixed: bool = True):
    """Do the same on standardised files without counting patterns: EM over all n x n pairs as they are."""
    n = len(sought)
    agreement = np.abs(sought[:, None] - pool[None]) <= tolerance + 1e-9
    gamma = agreement.reshape(n * n, -1).astype(float)
    pi, m = 1 / n, np.full(gamma.shape[1], 0.9)
    u = np.clip(gamma.mean(axis=0), 1e-6, 1 - 1e-6)
    for _ in range(1000):
        match = pi * np.prod(np.where(gamma, m, 1 - m), axis=1)
        other = (1 - pi) * np.prod(np.where(gamma, u, 1 - u), axis=1)
        g = match / (match + other)
        new_m = np.clip(g @ gamma / g.sum(), 1e-6, 1 - 1e-6)
        new_u = np.clip((1 - g) @ gamma / (1 - g).sum(), 1e-6, 1 - 1e-6)
        change = max(np.abs(new_m - m).max(), np.abs(new_u - u).max())
        m, u = new_m, new_u
        if not fixed:
            pi = g.mean()
        if change < 1e-8:
            break
    m = np.maximum(m, u)
    weight = (gamma @ np.log(m / u) + (1 - gamma) @ np.log((1 - m) / (1 - u))).reshape(n, n)
    is_best = weight >= weight.max(axis=1, keepdims=True) - 1e-9
    return 100 * np.mean(np.diag(is_best) / is_best.sum(axis=1)), m, u


def census_and_masked(reference_data, k):
    census = pd.read_csv(reference_data("census.csv"))
    return census, shoal.protect(census, k).data


@pytest.mark.parametrize(("k", "worked"), [(3, 7.7), (10, 2.8)])
def test_census_masked_by_mdav(reference_data, k, worked):
    """METHODS 6 took the masked records as those to be linked, the original's scale, and estimated the prior."""
    census, masked = census_and_masked(reference_data, k)
    found = probabilistic_linkage(census, masked, direction="masked-to-original", scale="original", prior="estimated")
    assert round(found, 1) == worked


@pytest.mark.parametrize("prior", ["fixed", "estimated"])
@pytest.mark.parametrize("direction", ["original-to-masked", "masked-to-original"])
def test_census_is_as_with_every_pair(reference_data, prior, direction):
    census, masked = (standardise(file.to_numpy(float)[::3]) for file in census_and_masked(reference_data, 3))
    sought, pool = (census, masked) if direction == "original-to-masked" else (masked, census)
    expected, m, u = with_every_pair(sought, pool, fixed=prior == "fixed")
    found = probabilistic_linkage(census, masked, prior=prior, direction=direction)
    assert found == pytest.approx(expected)
    np.testing.assert_allclose(list(found.m.values()), m, rtol=1e-5)
    np.testing.assert_allclose(list(found.u.values()), u, rtol=1e-5)


@pytest.mark.parametrize("variables", [3, 9, 17, 25, 63])
def test_any_number_of_variables_is_as_with_every_pair(variables):
    """Patterns are numbers of 8, 16, 32 or 64 bits, counted in a table or by sorting."""
    rng = np.random.default_rng(variables)
    original = rng.normal(size=(40, variables))
    masked = original + rng.normal(scale=0.3, size=original.shape)
    expected, *_ = with_every_pair(standardise(original), standardise(masked), tolerance=0.3)
    assert probabilistic_linkage(original, masked, tolerance=0.3) == pytest.approx(expected)


def test_records_alike_share_the_link():
    """The toy of METHODS 6: all three of a group agree equally well."""
    original, masked = pd.DataFrame({"x": [0.0, 1, 2, 10, 11, 12]}), pd.DataFrame({"x": [1.0, 1, 1, 11, 11, 11]})
    assert probabilistic_linkage(original, masked, tolerance=0.5) == pytest.approx(100 / 3)


def test_an_unchanged_file_with_distinct_records_is_linked_wholly():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=60), "y": rng.normal(size=60), "z": rng.integers(0, 9, 60).astype(str)})
    assert probabilistic_linkage(frame, frame, tolerance=0) == pytest.approx(100)


def test_categories_agree_if_they_are_equal():
    """Codes as numbers, far apart in units of their sd, agree in the same pairs."""
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 4, (50, 3))
    masked = np.where(rng.random(codes.shape) < 0.2, 0, codes)
    words = [pd.DataFrame(file).astype(str).rename(columns=str) for file in (codes, masked)]
    expected = probabilistic_linkage(codes, masked, tolerance=1e-6, scale="original")
    assert probabilistic_linkage(*words) == pytest.approx(float(expected))


def test_a_masked_variable_without_spread_is_on_the_originals_scale():
    """All masked at 1, the original's mean: the two at 1 agree with all six, the others with none, a third in all."""
    original = pd.DataFrame({"x": [0.0, 0, 1, 1, 2, 2]})
    found = probabilistic_linkage(original, original * 0 + 1)
    assert found == pytest.approx(100 / 6)
    assert found.m["x"] / 6 + found.u["x"] * 5 / 6 == pytest.approx(1 / 3)


small = st.lists(st.tuples(*[st.integers(0, 6)] * 4), min_size=4, max_size=25)


@given(small, st.randoms(use_true_random=False), st.sampled_from([1e-6, 0.1, 3.0, 1.7e8]))
@settings(max_examples=60)
def test_neither_order_nor_unit_matters(rows, random, unit):
    before = np.array(rows, dtype=float)
    if len(np.unique(before[:, 0])) == 1:
        before[0, 0] += 1
    order = list(range(len(rows)))
    random.shuffle(order)
    after = before[order] * np.array([unit, 1, unit, 1])
    first, second = (probabilistic_linkage(file[:, :2], file[:, 2:]) for file in (before, after))
    assert first == pytest.approx(second, rel=1e-9)
    assert 0 <= first <= 100


def test_of_a_large_file_a_sample_is_looked_for():
    """Few distinct records, so that all pairs are soon compared too."""
    rng = np.random.default_rng(2)
    original = rng.integers(0, 12, (20_001, 2)).astype(float)
    masked = np.where(rng.random(original.shape) < 0.1, 5, original)
    whole = probabilistic_linkage(original, masked, sample=None)
    part = probabilistic_linkage(original, masked, seed=1)
    assert (whole.sampled, part.sampled, part.records) == (None, 2000, 20_001)
    assert part == pytest.approx(whole, rel=0.05)
    assert part == probabilistic_linkage(original, masked, seed=1)
    assert probabilistic_linkage(original[:-1], masked[:-1]).sampled is None


def test_a_missing_value_agrees_with_missing_values_and_constants_are_left_out():
    """As if it were a value of its own, far from all others; every record is looked for."""
    rng = np.random.default_rng(3)
    original = pd.DataFrame(rng.normal(size=(30, 2)), columns=["x", "y"]).assign(c=rng.choice(list("ab"), 30))
    original.loc[::4, "x"], original.loc[::5, "c"] = np.nan, None
    masked = original.round(1)
    masked.loc[3, "y"] = np.nan
    found = probabilistic_linkage(original.assign(same=1.0, empty=np.nan), masked.assign(same=1.0, empty=np.nan))
    assert found.records == 30 and list(found.m) == ["x", "y", "c"]
    words = [frame[["c"]].fillna("none") for frame in (original, masked)]
    coded = [  # on the scale of each file, in which a missing value is far from all
        ((frame[["x", "y"]] - frame[["x", "y"]].mean()) / frame[["x", "y"]].std(ddof=1)).fillna(-1e9).join(own)
        for frame, own in zip((original, masked), words, strict=True)
    ]
    slow = [
        [np.abs(a - b) <= 0.1 if isinstance(a, float) else a == b for a, b in zip(one, other, strict=True)]
        for one in coded[0].to_numpy(object)
        for other in coded[1].to_numpy(object)
    ]
    weights = np.where(
        slow,
        [np.log(found.m[name] / found.u[name]) for name in found.m],
        [np.log((1 - found.m[name]) / (1 - found.u[name])) for name in found.m],
    ).sum(axis=1)
    weights = weights.reshape(30, 30)
    most = weights >= weights.max(axis=1, keepdims=True) - 1e-9
    assert found == pytest.approx(100 * np.mean(np.diag(most) / most.sum(axis=1)))


def test_parts_are_ready_for_json():
    frame = shoal.datasets.expenditure()
    found = probabilistic_linkage(frame, shoal.protect(frame, 3).data)
    parts = json.loads(json.dumps(dict(found.parts)))
    assert parts["prior"] == "fixed"
    assert parts["share_of_matches"] == pytest.approx(1 / len(frame))
    assert set(parts["m"]) == set(parts["u"])


def test_a_record_that_agrees_with_nobody_may_be_anybody():
    frame = pd.DataFrame({"x": [1.0, 2.0]})
    assert probabilistic_linkage(frame, pd.DataFrame({"x": [1.0, None]})) == 75


def test_what_it_cannot_measure():
    frame = pd.DataFrame({"x": [1.0, 2.0]})
    with pytest.raises(NotApplicableError, match="needs a variable that varies"):
        probabilistic_linkage(frame.iloc[:1], frame.iloc[:1])
    assert probabilistic_linkage(frame, frame * np.nan) == 50
    wide = np.random.default_rng(0).normal(size=(5, 64))
    with pytest.raises(NotApplicableError, match="at most 63 variables; these files have 64"):
        probabilistic_linkage(wide, wide)
    for bad in ({"tolerance": -1}, {"direction": "o2m"}, {"prior": 0.1}, {"sample": 0}, {"scale": "both"}):
        with pytest.raises(ParameterError, match=next(iter(bad))):
            probabilistic_linkage(frame, frame, **bad)
