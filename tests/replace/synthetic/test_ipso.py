"""IPSO keeps what its variant says it keeps, whatever the rank of the data, and lets no record through unnoticed."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from shoal.errors import DataError, ParameterError, TooFewRecordsError
from shoal.replace.synthetic.ipso import IPSO, rewritten
from shoal.replace.synthetic.muralidhar_sarathy import MuralidharSarathy


def one_group(X):
    return np.zeros(len(X), dtype=np.int64)


def moments_apart(X, Y, values):
    """Return the largest differences of means and covariances, in standard deviations."""
    before, after = np.hstack([X, Y]), np.hstack([values, Y])
    sd = before.std(axis=0, ddof=1)
    sd[sd == 0] = 1
    means = np.abs(before.mean(axis=0) - after.mean(axis=0)) / sd
    covariances = np.abs(np.cov(before.T) - np.cov(after.T)) / np.outer(sd, sd)
    return float(means.max()), float(covariances.max())


def coefficients(X, Y):
    return np.linalg.lstsq(np.column_stack([np.ones(len(X)), Y]), X, rcond=None)[0]


def correlated(seed, n, columns):
    rng = np.random.default_rng(seed)
    return np.exp(rng.normal(size=(n, columns)) @ rng.normal(size=(columns, columns)) / 2)


@st.composite
def tables(draw):
    """Correlated columns on different scales, some of them sums of others, copies or constants, rows repeated."""
    seed, n = draw(st.integers(0, 10_000)), draw(st.integers(12, 60))
    L, M = draw(st.integers(1, 4)), draw(st.integers(0, 5))
    rng = np.random.default_rng(seed)
    Y = rng.normal(size=(n, M)) @ rng.normal(size=(M, M))
    X = rng.normal(size=(n, L)) + (Y @ rng.normal(size=(M, L)) if M else 0)
    if M > 2 and draw(st.booleans()):
        Y[:, 2] = Y[:, 0] + Y[:, 1]
    if M > 0 and draw(st.booleans()):
        Y[:, 0] = 7.1
    if L > 2 and draw(st.booleans()):
        X[:, 2] = X[:, 0] - 2 * X[:, 1]
    if L > 1 and M > 1 and draw(st.booleans()):
        X[:, 1] = X[:, 0] + Y[:, 1]
    if draw(st.booleans()):
        repeated = rng.integers(0, n, size=n)
        X, Y = X[repeated], Y[repeated]
    return X * 10.0 ** rng.integers(-6, 9, size=L) + 3, Y * 10.0 ** rng.integers(-6, 9, size=M), seed


def test_the_worked_example():
    """METHODS 1: with a given provisional draw, Burridge's C and the recipe that is orthogonal to X too."""
    Y, X = np.arange(1.0, 7)[:, None], np.array([[2.0], [1], [4], [3], [7], [5]])
    W = np.array([[0.5], [-1], [0.3], [1.2], [-0.4], [0.1]])
    plain = rewritten(X, Y, W, one_group(X)).values[:, 0]
    assert plain == pytest.approx([2.136769, 0.399883, 3.546734, 5.995909, 4.084604, 5.836102], abs=1e-6)
    strict = rewritten(X, Y, W, one_group(X), orthogonal=True).values[:, 0]
    assert strict == pytest.approx([2.187154, 0.293515, 3.609179, 5.914221, 4.234190, 5.761741], abs=1e-6)
    assert np.corrcoef(X[:, 0], plain)[0, 1] == pytest.approx(0.598035, abs=1e-6)
    assert np.corrcoef(X[:, 0], strict)[0, 1] == pytest.approx(0.626939, abs=1e-6)


@given(tables(), st.booleans(), st.integers(1, 3))
def test_c_keeps_means_and_covariances_whatever_the_rank(table, orthogonal, parts):
    X, Y, seed = table
    groups = np.arange(len(X)) % parts
    try:
        new = IPSO(orthogonal=orthogonal, accept_unchanged=True).synthetic(X, Y, groups, np.random.default_rng(seed))
    except TooFewRecordsError:
        assume(False)
    means, covariances = moments_apart(X, Y, new.values)
    assert means < 1e-8
    assert covariances < 1e-8


@given(st.integers(0, 200))
def test_exact_identities_survive(seed):
    """Among the confidential variables, and between them and the others."""
    rng = np.random.default_rng(seed)
    Y = rng.normal(size=(40, 3)) * 1e4
    X = rng.normal(size=(40, 3)) * 1e3 + Y[:, :1]
    X[:, 1] = X[:, 0] + Y[:, 2]
    X[:, 2] = 3 * X[:, 0] - X[:, 1]
    for variant in "ABC":
        new = IPSO(variant).synthetic(X, Y, one_group(X), rng).values
        assert np.abs(new - X).max() > 1
        size = np.abs(new).max()
        assert new[:, 2] == pytest.approx(3 * new[:, 0] - new[:, 1], abs=1e-10 * size)
        assert new[:, 1] == pytest.approx(new[:, 0] + Y[:, 2], abs=1e-10 * size)


@given(st.integers(0, 300), st.integers(1, 3), st.integers(1, 4))
def test_b_keeps_the_regression_coefficients(seed, L, M):
    V = correlated(seed, 50, L + M)
    X, Y = V[:, :L], V[:, L:]
    new = IPSO("B").synthetic(X, Y, one_group(X), np.random.default_rng(seed))
    assume(not new.tallies)  # no record stands alone
    before = coefficients(X, Y)
    assert coefficients(new.values, Y) == pytest.approx(before, rel=1e-8, abs=1e-8 * np.abs(before).max())
    assert moments_apart(X, Y, new.values)[1] > 1e-6


def test_a_keeps_the_regression_on_average_only():
    V = correlated(4, 400, 3)
    X, Y = V[:, :2], V[:, 2:]
    rng = np.random.default_rng(0)
    found = [IPSO("A").synthetic(X, Y, one_group(X), rng).values for _ in range(200)]
    slopes = np.array([coefficients(values, Y) for values in found])
    error = slopes.std(axis=0) / np.sqrt(len(found))
    assert (np.abs(slopes.mean(axis=0) - coefficients(X, Y)) < 5 * error).all()
    assert slopes.std(axis=0).min() > 1e-6


def test_new_and_old_residuals_are_uncorrelated_if_orthogonal():
    V = correlated(1, 60, 6)
    X, Y = V[:, :3], V[:, 3:]
    new = IPSO(orthogonal=True).synthetic(X, Y, one_group(X), np.random.default_rng(0)).values
    residuals = [values - np.column_stack([np.ones(60), Y]) @ coefficients(values, Y) for values in (X, new)]
    products = residuals[0].T @ residuals[1]
    assert np.abs(products).max() < 1e-10 * np.square(residuals[0]).sum()


@pytest.mark.parametrize("name", ["census.csv", "tarragona.csv"])
def test_reference_files_keep_their_covariances(reference_data, name):
    data = pd.read_csv(reference_data(name)).to_numpy(dtype=float)
    X, Y = data[:, ::3], np.delete(data, np.s_[::3], axis=1)
    new = IPSO().synthetic(X, Y, one_group(X), np.random.default_rng(5))
    assert max(moments_apart(X, Y, new.values)) < 1e-8
    assert new.unchanged == 0


def test_a_relation_of_the_census_survives(reference_data):
    """PTOTVAL = POTHVAL + PEARNVAL, whichever of the three are confidential."""
    data = pd.read_csv(reference_data("census.csv")).astype(float)
    for confidential in (["PTOTVAL", "POTHVAL", "PEARNVAL"], ["PTOTVAL", "POTHVAL"], ["PEARNVAL", "PTOTVAL", "FICA"]):
        masked = data.copy()
        X, Y = data[confidential].to_numpy(), data.drop(columns=confidential).to_numpy()
        masked[confidential] = IPSO().synthetic(X, Y, one_group(X), np.random.default_rng(1)).values
        assert masked.PTOTVAL.to_numpy() == pytest.approx((masked.POTHVAL + masked.PEARNVAL).to_numpy(), rel=1e-6)


def test_as_many_others_as_records_is_refused():
    X, Y = correlated(0, 5, 1), correlated(1, 5, 6)
    with pytest.raises(DataError, match="IPSO needs 2 records more"):
        IPSO().synthetic(X, Y, one_group(X), np.random.default_rng(0))
    accepted = IPSO(accept_unchanged=True).synthetic(X, Y, one_group(X), np.random.default_rng(0))
    assert (accepted.unchanged, accepted.degrees) == (5, 0)


def test_a_record_that_a_variable_points_at_is_rewritten_with_others():
    """A variable that differs in one record only determines its residual: there is none."""
    X, Y = correlated(0, 30, 2), np.zeros((30, 1))
    Y[3] = 1
    new = IPSO().synthetic(X, Y, one_group(X), np.random.default_rng(0), k=6)
    assert new.unchanged == 0
    assert np.bincount(new.groups).tolist() == [24, 6]
    assert max(moments_apart(X, X[:, :0], new.values)) < 1e-8
    assert IPSO(accept_unchanged=True).synthetic(X, Y, one_group(X), np.random.default_rng(0)).unchanged == 1


@pytest.mark.parametrize(
    "made", [IPSO(), IPSO("B"), IPSO(orthogonal=True), MuralidharSarathy(0.3), MuralidharSarathy((0.3,))], ids=str
)
def test_whole_numbers_do_not_round_back(made):
    """With residuals of a few units some do in every draw: they are drawn again with others, and all is kept."""
    rng = np.random.default_rng(0)
    Y = rng.normal(size=(3000, 2)) * 1000
    X = np.rint(Y[:, :1] + rng.normal(size=(3000, 1)) * 100)
    first = rewritten(X, Y, np.random.default_rng(1).standard_normal(X.shape), one_group(X)).values
    assert (np.rint(first) == X).sum() > 0
    new = made.synthetic(X, Y, one_group(X), np.random.default_rng(1))
    assert (np.rint(new.values) == X).sum() == new.unchanged == 0
    if getattr(made, "variant", "C") == "C":
        assert max(moments_apart(X, Y, new.values)) < 1e-8
    assert coefficients(new.values, Y) == pytest.approx(coefficients(X, Y), rel=1e-8, abs=1e-6)
    if getattr(made, "orthogonal", True):  # how old and new residuals go together: not at all, or by alpha
        old, fresh = (V - np.column_stack([np.ones(3000), Y]) @ coefficients(V, Y) for V in (X, new.values))
        share = 0.3 if isinstance(made, MuralidharSarathy) else 0.0
        assert np.corrcoef(old[:, 0], fresh[:, 0])[0, 1] == pytest.approx(share, abs=1e-8)


def test_few_values_may_come_back_by_chance():
    """Of a number that is 0 or 1, to release never the true one is to release it."""
    X = np.random.default_rng(0).integers(0, 2, size=(200, 1)).astype(float)
    new = IPSO().synthetic(X, X[:, :0], one_group(X), np.random.default_rng(1))
    assert 40 < (np.rint(new.values) == X).sum() < 160
    assert new.unchanged == 0


def test_groups_need_as_many_degrees_as_variables():
    V = correlated(0, 80, 7)
    with pytest.raises(TooFewRecordsError, match=r"IPSO needs 4 records more.*10 of 10 .*Raise k to 8 or more"):
        IPSO().synthetic(V[:70, :4], V[:70, 4:], np.arange(70) % 10, np.random.default_rng(0))
    IPSO().synthetic(V[:, :4], V[:, 4:], np.arange(80) % 10, np.random.default_rng(0))


def test_too_few_records_for_orthogonal_noise():
    X, Y = correlated(0, 7, 3), correlated(1, 7, 1)
    with pytest.raises(TooFewRecordsError, match="needs up to 8 records"):
        IPSO(orthogonal=True).synthetic(X, Y, one_group(X), np.random.default_rng(0))
    with pytest.raises(ParameterError, match='needs variant="C"'):
        IPSO("B", orthogonal=True)


@pytest.mark.parametrize("scale", [1e-300, 1e300])
def test_extreme_numbers_are_safe(scale):
    V = correlated(2, 40, 4)
    plain = IPSO().synthetic(V[:, :2], V[:, 2:], one_group(V), np.random.default_rng(0)).values
    V[:, 0] *= scale
    V[:, 3] *= scale
    scaled = IPSO().synthetic(V[:, :2], V[:, 2:], one_group(V), np.random.default_rng(0)).values
    assert scaled[:, 0] / scale == pytest.approx(plain[:, 0], rel=1e-7, abs=1e-9)
    assert scaled[:, 1] == pytest.approx(plain[:, 1], rel=1e-7, abs=1e-9)


@pytest.mark.parametrize("name", sorted(IPSO.limits))
def test_bad_parameters_are_refused(name):
    for value in IPSO.limits[name].bad_values():
        with pytest.raises(ParameterError, match=name):
            IPSO(**{name: value})
    assert IPSO(confidential=["a", "b"]) == IPSO(confidential=("a", "b"))
