"""Arithmetic that is the same on every processor is right, and is the same."""

from __future__ import annotations

import hashlib
import math
from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal import arithmetic

RNG = np.random.default_rng(0)
LARGE = 1e308


def off_by(found, exact):
    """Return the largest error in units of the last place, by 40-digit decimals."""
    with localcontext(prec=40):
        return max(
            abs(float((Decimal(one) - exact(place)) / Decimal(math.ulp(one))))
            for place, one in enumerate(np.ravel(found).tolist())
        )


def test_exponentials_are_right_to_the_last_place():
    x = np.concatenate([RNG.uniform(-700, 700, 500), RNG.normal(size=500), RNG.normal(size=100) * 1e-5])
    assert off_by(arithmetic.exp(x), lambda place: Decimal(x[place]).exp()) < 0.8


def test_logarithms_are_right_to_the_last_place():
    x = np.concatenate([2.0 ** RNG.uniform(-1000, 1000, 500), 1 + RNG.normal(size=500) * 1e-3, [5e-324, 1e-310]])
    assert off_by(arithmetic.log(x), lambda place: Decimal(x[place]).ln()) < 0.9


@pytest.mark.parametrize("power", [3.0, 0.5, -2.5, 1.37, 37.3])
def test_powers_are_nearly_always_the_nearest_number(power):
    x = 2.0 ** RNG.uniform(-8, 8, 500)
    assert off_by(arithmetic.powers(x, power), lambda place: (Decimal(x[place]).ln() * Decimal(power)).exp()) < 0.7
    raised = arithmetic.raised(x, power)
    assert np.allclose(raised, arithmetic.powers(x, power), rtol=1e-14 * (1 + abs(power)), atol=0)


def test_exponentials_and_logarithms_of_special_numbers():
    special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1000.0, -1000.0, -745.0])
    with np.errstate(all="ignore"):
        assert np.array_equal(arithmetic.exp(special), np.exp(special), equal_nan=True)
        assert np.array_equal(arithmetic.log(special[:-1]), np.log(special[:-1]), equal_nan=True)


numbers = st.one_of(
    st.sampled_from([0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 0.5, math.inf, -math.inf, math.nan, 5e-324, LARGE, -LARGE]),
    st.floats(),
)
exponents = st.one_of(
    st.sampled_from([0.0, -0.0, 1.0, -1.0, 2.0, 3.0, -3.0, 0.5, math.inf, -math.inf, math.nan]),
    st.floats(),
    st.integers(-9, 9).map(float),
)


@given(numbers, exponents)
def test_powers_are_those_of_the_c_library_up_to_rounding(x, y):
    found = float(arithmetic.powers(x, y))
    try:
        expected = math.pow(x, y)
    except (OverflowError, ValueError):  # too large; the root of a negative number, 1 / 0
        assert not math.isfinite(found)
        return
    assert found == pytest.approx(expected, rel=1e-15, abs=5e-324, nan_ok=True)
    assert math.isnan(found) or math.copysign(1, found) == math.copysign(1, expected)


@pytest.mark.parametrize("shape", [(3, 5, 4, 6), (1, 1, 1, 1), (2, 3, 0, 2), (2, 0, 3, 2)])
def test_products_are_those_of_matrices(shape):
    b, s, inner, width = shape
    left, right = RNG.normal(size=(b, s, inner)), RNG.normal(size=(b, inner, width))
    assert np.allclose(arithmetic.products(left, right), left @ right, atol=1e-14)
    assert np.allclose(arithmetic.products(left[0], right[0]), left[0] @ right[0], atol=1e-14)
    assert np.allclose(arithmetic.products(left[0], right[0, :, 0]), left[0] @ right[0, :, 0], atol=1e-14)


@pytest.mark.parametrize("n", [1, 3, 4, 131])
def test_weighted_sums_squares_distances_and_totals(n):
    weights, rows, factors = RNG.random((n, 70)), RNG.normal(size=(n, 5)), RNG.random(n)
    assert np.allclose(arithmetic.weighted_sums(weights, rows, factors), weights.T @ (rows * factors[:, None]))
    assert np.allclose(arithmetic.weighted_sums(weights, rows), weights.T @ rows)
    assert np.allclose(arithmetic.squares(weights), weights.T @ weights)
    assert np.allclose(arithmetic.row_totals(weights), weights.sum(axis=1))
    centres = RNG.normal(size=(6, 5))
    expected = np.square(rows[:, None] - centres).sum(axis=2)
    assert np.allclose(arithmetic.squared_distances_between(rows, centres), expected)


def dependent(b, s, width):
    """Return a stack of matrices; in the first the last column follows from the others, in the second all are zero."""
    stack = RNG.normal(size=(b, s, width))
    stack[0, :, -1] = stack[0, :, :-1].sum(axis=1)
    stack[1] = 0.0
    return stack


@pytest.mark.parametrize("shape", [(4, 9, 4), (4, 3, 8), (4, 5, 5), (4, 1, 3), (4, 3, 1), (2, 400, 6)])
def test_triangles_and_singular_vectors_make_the_matrix_again(shape):
    stack = dependent(*shape)
    basis, triangle = arithmetic.triangles(stack)
    assert np.allclose(basis @ triangle, stack, atol=1e-13)
    assert np.allclose(basis.transpose(0, 2, 1) @ basis, np.eye(basis.shape[2]), atol=1e-13)
    for full in (False, True):
        left, sizes, right = arithmetic.singular(stack, full=full)
        assert left.shape[2] == (shape[1] if full else min(shape[1:]))
        assert np.allclose((left[:, :, : sizes.shape[1]] * sizes[:, None]) @ right, stack, atol=1e-13)
        assert np.allclose(left.transpose(0, 2, 1) @ left, np.eye(left.shape[2]), atol=1e-13)
        assert np.allclose(sizes, np.linalg.svd(stack, compute_uv=False), atol=1e-13)
    expected = np.linalg.pinv(stack, rcond=1e-10)
    assert np.allclose(arithmetic.pseudo_inverse(stack, 1e-10), expected, atol=1e-9)


@pytest.mark.parametrize("case", range(60))
def test_non_negative_least_squares_is_that_of_scipy(case):
    from scipy.optimize import nnls

    rng = np.random.default_rng(case)
    A = rng.normal(size=rng.integers(1, 9, 2))
    if case % 3 == 0:
        A = np.round(A)  # columns that follow from others
    goal = rng.normal(size=len(A))
    x, distance = arithmetic.non_negative_least_squares(A, goal)
    assert (x >= 0).all()
    assert distance == pytest.approx(nnls(A, goal, maxiter=1000)[1], abs=1e-10)
    assert distance == pytest.approx(float(np.linalg.norm(A @ x - goal)), abs=1e-12)


def test_the_last_bits_are_those_of_every_processor():
    """The digest was made on one processor; any other has to come to it."""
    x = (np.arange(1, 4001) * 0.618033988749895) % 1.0 + np.arange(4000) % 7
    V = x[:3600].reshape(10, 40, 9)
    found = [
        arithmetic.exp(-x), arithmetic.log(x), arithmetic.powers(x, 1.37), arithmetic.raised(x, 2.5),
        arithmetic.products(V.transpose(0, 2, 1), V), arithmetic.squares(V[0]), arithmetic.row_totals(V[0]),
        arithmetic.weighted_sums(V[0], V[1], V[2, :, 0]), arithmetic.squared_distances_between(V[0], V[1]),
        *arithmetic.triangles(V), *arithmetic.singular(V, full=True), arithmetic.pseudo_inverse(V, 1e-10),
        arithmetic.non_negative_least_squares(V[0], x[:40])[0],
    ]  # fmt: skip
    digest = hashlib.sha256(b"".join(np.ascontiguousarray(one).tobytes() for one in found)).hexdigest()
    assert digest[:16] == "6e2e2f04f31bb039"
