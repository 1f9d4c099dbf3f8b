"""MDAV is exact: its labels are those of brute force, whatever the data."""

from __future__ import annotations

import math
import subprocess
import sys
from fractions import Fraction
from unittest import mock

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from oracles.brute_force_mdav import brute_force_mdav
from oracles.numpy_mdav import numpy_mdav
from shoal.partition import MDAV
from shoal.partition.geometry import tree
from shoal.partition.mdav import mdav
from shoal.progress import listening

VARIANTS = ("classic", "two-k", "thesis")
WAYS = ("scan", "trees", "exact trees")


def labels_by(way, X, k, variant="classic"):
    """Fit by scanning, with trees, or with trees that are all exact, whatever the data."""
    with (
        mock.patch.object(mdav, "_MOST_TO_SCAN", math.inf if way == "scan" else 0),
        mock.patch.object(tree, "_SHARP", math.inf if way == "exact trees" else tree._SHARP),
    ):
        return MDAV(k, variant=variant).fit(X).labels_


few_values = st.integers(-2, 2).map(float)
plain_values = st.floats(-1e3, 1e3, allow_subnormal=False)
any_values = st.floats(-1e299, 1e299)


@st.composite
def matrices(draw, values=None):
    """Matrices with ties, duplicates, constant columns, or none of these."""
    n = draw(st.integers(2, 60))
    d = draw(st.integers(1, 30))
    elements = draw(st.sampled_from([few_values, plain_values, any_values])) if values is None else values
    X = draw(hnp.arrays(np.float64, (n, d), elements=elements, fill=st.nothing() if n * d < 80 else None))
    if draw(st.booleans()):
        X[:, draw(st.integers(0, d - 1))] = draw(elements)
    if draw(st.booleans()):
        X = X[draw(st.lists(st.integers(0, n - 1), min_size=n, max_size=n))]
    return X


@pytest.mark.parametrize("way", WAYS)
@settings(max_examples=300)
@given(X=matrices(), variant=st.sampled_from(VARIANTS), data=st.data())
def test_labels_are_those_of_brute_force(way, X, variant, data):
    k = data.draw(st.integers(2, len(X)))
    assert labels_by(way, X, k, variant).tolist() == brute_force_mdav(X, k, variant)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("n", range(4, 22))
def test_every_tail_is_that_of_brute_force(n, variant, way):
    X = np.random.default_rng(n).integers(0, 4, size=(n, 2)).astype(float)
    for k in range(2, n + 1):
        assert labels_by(way, X, k, variant).tolist() == brute_force_mdav(X, k, variant)


def medium_cases():
    rng = np.random.default_rng(20)
    n = 2400
    correlated = rng.normal(size=(n, 3)) @ rng.normal(size=(3, 10))
    return {
        "normal": rng.normal(size=(n, 10)),
        "log-normal": np.exp(correlated),
        "one column": rng.normal(size=(n, 1)),
        "thirty columns": rng.normal(size=(n, 30)),
        "flat: two dimensions in ten columns": rng.normal(size=(n, 2)) @ rng.normal(size=(2, 10)),
        "grid": rng.integers(0, 4, size=(n, 3)).astype(float),
        "coarse grid": rng.integers(0, 2, size=(n, 4)).astype(float),
        "on a circle": np.column_stack([np.cos(t := rng.integers(0, 90, n) * math.tau / 90), np.sin(t)]),
        "all the same": np.full((n, 3), 0.1),
        "zeros of either sign": rng.choice([-1.0, -0.0, 0.0, 1.0], size=(n, 3)),
        "every record many times": rng.normal(size=(n // 12, 4))[rng.integers(0, n // 12, n)],
        "half the same": np.where(np.arange(n)[:, None] % 2 == 0, 0.3, rng.normal(size=(n, 4))),
        "far from zero": 1e9 + rng.integers(0, 50, size=(n, 3)) / 8,
        "one far away": np.vstack([[1e12, -1e12], rng.normal(size=(n - 1, 2))]),
        "some far away, at every scale": np.vstack(
            [[[s, -s, s], [-2 * s, s, 0]] * 3 for s in (1e3, 1e6, 1e9, 1e12)] + [rng.normal(size=(n - 24, 3))]
        ),
        "one very far away": np.vstack([[1e200, 1, 2], rng.normal(size=(n - 1, 3))]),
        "a tight cluster, others far away": rng.normal(size=(n, 3)) * np.where(rng.random((n, 1)) < 0.05, 1e9, 1e-3),
        "two clusters, far apart": rng.normal(size=(n, 3)) + np.where(np.arange(n)[:, None] % 3 == 0, 1e12, 0),
        "one cluster at the resolution of the other": rng.normal(size=(n, 3))
        * np.where(np.arange(n)[:, None] % 3 == 0, 1, 1e20),
        "every size": rng.normal(size=(n, 3)) * 2.0 ** rng.integers(-60, 60, size=(n, 1)),
        "long tails": rng.standard_cauchy(size=(n, 3)) ** 3,
        "corners of a cube": rng.integers(0, 2, size=(n, 12)).astype(float),
        "columns of very different size": rng.normal(size=(n, 4)) * [1e-9, 1, 1e5, 1e12],
        "squares underflow": rng.normal(size=(n, 3)) * 1e-161,
        "squares overflow": rng.normal(size=(n, 3)) * 1e154,
        "subnormal": rng.integers(0, 9, size=(n, 3)) * 5e-324,
        "huge": rng.normal(size=(n, 3)) * 1e299,
    }


@pytest.mark.parametrize("name", medium_cases())
@pytest.mark.parametrize("k", [3, 10, 100])
def test_labels_are_those_of_brute_force_where_trees_are_deep(name, k):
    X = medium_cases()[name]
    with np.errstate(over="ignore", under="ignore"):
        labels = numpy_mdav(X, k)
    for way in ("trees", "exact trees"):
        assert np.array_equal(labels_by(way, X, k), labels)


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")  # of the check for finite values
def test_values_near_the_largest_double_can_be_grouped():
    X = np.random.default_rng(0).uniform(-1, 1, size=(60, 2)) * 2.0**1023
    assert np.bincount(MDAV(5).fit(X).labels_).tolist() == [5] * 12


@pytest.mark.parametrize("distinct", [12_000, 6_000])
def test_a_tree_of_several_levels_is_replanted_without_a_trace(distinct):
    rng = np.random.default_rng(3)
    X = np.exp(rng.normal(size=(distinct, 5)))[rng.permutation(12_000) % distinct]
    assert np.array_equal(MDAV(50).fit(X).labels_, numpy_mdav(X, 50))


def test_identical_records_leave_in_order_of_their_rows():
    X = np.zeros((12, 1))
    X[[5, 11]] = 1.0
    # r is row 5, the first of the farthest; with row 11 and the lowest of the zeros it makes the first group.
    assert MDAV(3).fit(X).labels_.tolist() == [0, 1, 1, 1, 2, 0, 2, 2, 3, 3, 3, 0]


@given(
    X=hnp.arrays(np.float64, (20, 1), elements=st.floats(-1e300, 1e300)),
    gone=st.lists(st.integers(0, 19), unique=True),
)
@example(X=np.array([[1e300], [1.0], [-1e300], *[[1e-300]] * 17]), gone=[0, 2])
def test_a_running_total_is_the_correctly_rounded_sum(X, gone):
    from shoal.partition.kernels.exact_sum import MOST_PARTIALS, add_rows, round_totals, total_columns

    totals, total = np.zeros((1, MOST_PARTIALS)), np.empty(1)
    total_columns(X, totals)
    add_rows(totals, X, np.array(gone, dtype=np.int64), -1.0)
    round_totals(totals, total)
    assert total[0] == float(sum(Fraction(x) for i, x in enumerate(X[:, 0]) if i not in gone))


@pytest.mark.parametrize("n", [7, 5000])
def test_progress_sums_to_one(n):
    parts = []
    with listening(parts.append):
        MDAV(3).fit(np.random.default_rng(0).normal(size=(n, 2)))
    assert math.fsum(parts) == pytest.approx(1)
    assert len(parts) >= (1 if n < 100 else 20)


def test_a_small_matrix_is_grouped_without_numba():
    code = (
        "import sys, numpy, shoal.partition;"
        "shoal.partition.MDAV(3).fit(numpy.random.default_rng(0).normal(size=(1000, 10)));"
        "sys.exit('numba' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_importing_the_step_does_not_import_numba():
    code = "import sys, shoal.partition; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
