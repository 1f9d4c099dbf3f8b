"""Hybrid data keeps means and covariances under any partition, and refuses groups that would release records."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import DataError, ParameterError, TooFewRecordsError
from shoal.partition import MDAV
from shoal.replace.synthetic import ipso, residuals
from shoal.replace.synthetic.hybrid import MicroHybrid
from shoal.replace.synthetic.ipso import IPSO

ORIG4 = ["FEDTAX", "TAXINC", "WSALVAL", "ERNVAL"]


def apart(X, Y, values):
    """Return the largest difference of means and covariances, in standard deviations."""
    before, after = np.hstack([X, Y]), np.hstack([values, Y])
    sd = before.std(axis=0, ddof=1)
    sd[sd == 0] = 1
    covariances = np.abs(np.cov(before.T) - np.cov(after.T)) / np.outer(sd, sd)
    return max(float((np.abs(before.mean(axis=0) - after.mean(axis=0)) / sd).max()), float(covariances.max()))


def mixed(seed, n, columns):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, columns)) @ rng.normal(size=(columns, columns))


@pytest.fixture(scope="module")
def census(reference_data):
    data = pd.read_csv(reference_data("census.csv")).astype(float)
    standard = ((data - data.mean()) / data.std()).to_numpy()
    return data[ORIG4].to_numpy(), data.drop(columns=ORIG4).to_numpy(), standard


@pytest.mark.parametrize(
    ("k", "fewest", "most"), [(5, 1080, 1080), (9, 1044, 1080), (10, 480, 640), (11, 2, 2), (12, 0, 0), (18, 0, 0)]
)
def test_how_many_census_records_pass_unchanged(census, k, fewest, most):
    """METHODS 3, orig4: 1080, 1053, 560, 2, 0, 0; with one degree of freedom a coin is tossed for every group."""
    X, Y, standard = census
    groups = MDAV(k=k).fit(standard).labels_
    new = MicroHybrid(small_groups="accept").synthetic(X, Y, groups, np.random.default_rng(0))
    assert fewest <= new.unchanged <= most
    assert apart(X, Y, new.values) < 1e-8
    if k == 18:
        correlations = [np.corrcoef(X[:, j], new.values[:, j])[0, 1] for j in range(4)]
        assert correlations == pytest.approx([0.977, 0.987, 0.999, 0.982], abs=0.004)


def test_without_others_two_records_are_too_few_and_three_are_not(census):
    """METHODS 3: all 13 variables confidential; k = 2 leaves about half the records, k = 3 none."""
    X, Y, standard = census
    everything = np.hstack([X, Y])
    for k, fewest, most in ((2, 440, 640), (3, 0, 0)):
        groups = MDAV(k=k).fit(standard).labels_
        new = MicroHybrid(small_groups="accept").synthetic(everything, Y[:, :0], groups, np.random.default_rng(1))
        assert fewest <= new.unchanged <= most


def test_a_k_that_is_too_small_is_refused_with_the_one_that_is_needed(census):
    """Rank [1, Y] is 9, as PTOTVAL = POTHVAL + PEARNVAL, and four variables are rewritten: 13, or 17 if strict."""
    X, Y, standard = census
    groups = MDAV(k=12).fit(standard).labels_
    with pytest.raises(TooFewRecordsError, match=r"needs at least k=13 .*merge.*drop-others"):
        MicroHybrid().synthetic(X, Y, groups, np.random.default_rng(0))
    with pytest.raises(TooFewRecordsError, match="needs at least k=17 "):
        MicroHybrid(orthogonal=True).synthetic(X, Y, groups, np.random.default_rng(0))


def test_merging_keeps_covariances_and_changes_every_record(census):
    X, Y, standard = census
    groups = MDAV(k=5).fit(standard).labels_
    new = MicroHybrid(small_groups="merge").synthetic(X, Y, groups, np.random.default_rng(0))
    assert new.unchanged == 0
    assert new.degrees >= 4
    assert "of 216" in new.notes[0]
    assert apart(X, Y, new.values) < 1e-8


def test_forgetting_the_others_keeps_the_covariances_of_the_confidential(census):
    X, Y, standard = census
    groups = MDAV(k=5).fit(standard).labels_
    new = MicroHybrid(small_groups="drop-others").synthetic(X, Y, groups, np.random.default_rng(0))
    assert (new.unchanged, new.degrees) == (0, 4)
    assert apart(X, Y[:, :0], new.values) < 1e-8
    assert "216 of 216" in new.notes[0]
    with pytest.raises(TooFewRecordsError, match="needs at least k=5"):
        MicroHybrid(small_groups="drop-others").synthetic(X, Y, np.arange(1080) // 4, np.random.default_rng(0))


def test_groups_with_a_record_that_nothing_hides_are_merged(census):
    """At k = 13 records of the Census stand alone in their groups, one with no residual, others with hardly any."""
    X, Y, standard = census
    groups = MDAV(k=13).fit(standard).labels_
    accepted = MicroHybrid(small_groups="accept").synthetic(X, Y, groups, np.random.default_rng(0))
    near = (np.abs(accepted.values - X) <= 0.01 * X).all(axis=1)
    assert (accepted.unchanged, near.sum()) == (1, 87)
    new = MicroHybrid().synthetic(X, Y, groups, np.random.default_rng(0))
    assert new.notes == ("Groups merged with others, to hide their residuals: 46 of 83.",)
    assert apart(X, Y, new.values) < 1e-8
    assert (new.unchanged, (np.abs(new.values - X) <= 0.01 * X).all(axis=1).sum()) == (0, 17)
    merged = MicroHybrid(small_groups="merge").synthetic(X, Y, groups, np.random.default_rng(0))
    assert np.array_equal(merged.values, new.values)
    dropped = MicroHybrid(small_groups="drop-others").synthetic(X, Y, groups, np.random.default_rng(0))
    assert dropped.unchanged == 0
    assert apart(X, Y[:, :0], dropped.values) < 1e-8
    assert "39 of 1080" in dropped.notes[0]


def rounds_back(X, values):
    return int((np.rint(values) == X).all(axis=1).sum())


@pytest.mark.parametrize(("k", "small_groups"), [(20, "error"), (13, "merge"), (12, "drop-others"), (5, "merge")])
def test_no_record_rounds_back_to_what_it_was(census, k, small_groups):
    """At k = 20, seed 2, the first draw brings a whole record back within half a dollar: its group is drawn again."""
    X, Y, standard = census
    groups = MDAV(k=k).fit(standard).labels_
    for seed in range(1, 4):
        new = MicroHybrid(small_groups=small_groups).synthetic(X, Y, groups, np.random.default_rng([seed, 0, 0]))
        assert rounds_back(X, new.values) == new.unchanged == 0
        again = MicroHybrid(small_groups=small_groups).synthetic(X, Y, groups, np.random.default_rng([seed, 0, 0]))
        assert np.array_equal(new.values, again.values)
        assert apart(X, Y[:, : 0 if small_groups == "drop-others" else None], new.values) < 1e-8


def test_a_group_is_drawn_again_where_a_record_came_back(census):
    """Without the second draw one record of Census is released at k = 20, seed 2."""
    X, Y, standard = census
    groups = MDAV(k=20).fit(standard).labels_
    first = ipso.rewritten(X, Y, residuals.normal_numbers(np.random.default_rng([2, 0, 0]), X.shape), groups).values
    assert rounds_back(X, first) == 1
    new = MicroHybrid(small_groups="accept").synthetic(X, Y, groups, np.random.default_rng([2, 0, 0])).values
    assert rounds_back(X, new) == 0
    bad = groups[(np.rint(first) == X).all(axis=1)]
    assert np.array_equal(new[groups != bad], first[groups != bad])
    for group in range(54):
        rows = groups == group
        assert apart(X[rows], Y[rows], new[rows]) < 1e-6


def test_values_that_differ_by_rounding_only_are_not_called_alike():
    X = 2.0**60 + 256 * np.random.default_rng(0).integers(0, 9, size=(40, 1))
    with pytest.raises(DataError, match="differ in their group by no more than rounding"):
        MicroHybrid().synthetic(X, X[:, :0], np.arange(40) % 2, np.random.default_rng(0))


def test_one_group_equals_ipso_once(census):
    X, Y, _ = census
    whole = np.zeros(len(X), dtype=np.int64)
    for orthogonal in (False, True):
        once = IPSO(orthogonal=orthogonal).synthetic(X, Y, whole, np.random.default_rng(7))
        hybrid_data = MicroHybrid(orthogonal=orthogonal).synthetic(X, Y, whole, np.random.default_rng(7))
        assert np.array_equal(once.values, hybrid_data.values)
        only = (X[:, :1], Y, whole)  # one variable: records come back in every first draw, and are drawn again
        once = IPSO(orthogonal=orthogonal).synthetic(*only, np.random.default_rng(1))
        hybrid_data = MicroHybrid(orthogonal=orthogonal).synthetic(*only, np.random.default_rng(1))
        assert np.array_equal(once.values, hybrid_data.values)


@given(st.integers(0, 5_000), st.integers(1, 3), st.integers(0, 4), st.sampled_from(["merge", "accept"]), st.booleans())
def test_covariances_are_kept_under_any_partition(seed, L, M, small_groups, orthogonal):
    """Groups of any size, ones among them, with columns that follow from others."""
    rng = np.random.default_rng(seed)
    V = mixed(seed, 60, L + M)
    if M > 1:
        V[:, L] = V[:, L + 1] + (V[:, 0] if L > 1 else 0)
    X, Y = V[:, :L] * 1e4, V[:, L:] * 1e-3
    groups = rng.integers(0, rng.integers(1, 12), size=60)
    made = MicroHybrid(small_groups=small_groups, orthogonal=orthogonal)
    new = made.synthetic(X, Y, groups, rng)
    assert apart(X, Y, new.values) < 1e-8
    if small_groups == "merge":
        assert new.unchanged == 0
        assert new.degrees >= made.least_degrees(L)


def test_covariances_are_kept_in_every_group():
    V = mixed(3, 300, 6)
    groups = np.random.default_rng(0).integers(0, 9, size=300)
    new = MicroHybrid().synthetic(V[:, :3], V[:, 3:], groups, np.random.default_rng(1))
    for group in range(9):
        rows = groups == group
        assert apart(V[rows, :3], V[rows, 3:], new.values[rows]) < 1e-8


def test_the_height_of_the_stacks_has_no_say(monkeypatch):
    V = mixed(5, 400, 5)
    groups = np.random.default_rng(2).integers(0, 15, size=400)
    one = MicroHybrid().synthetic(V[:, :2], V[:, 2:], groups, np.random.default_rng(3)).values
    monkeypatch.setattr(residuals, "_NUMBERS_AT_ONCE", 10)
    other = MicroHybrid().synthetic(V[:, :2], V[:, 2:], groups, np.random.default_rng(3)).values
    assert np.array_equal(one, other)


def test_groups_of_one_size_are_rewritten_in_one_call(monkeypatch):
    """A Python call for every group would take minutes for a million records."""
    calls = []

    real = ipso.regressed
    monkeypatch.setattr(ipso, "regressed", lambda X, Y: calls.append(len(X)) or real(X, Y))
    V = mixed(5, 5000, 4)
    MicroHybrid().synthetic(V[:, :2], V[:, 2:], np.arange(5000) % 500, np.random.default_rng(3))
    assert calls == [500]


def test_alike_records_are_refused_where_no_others_are():
    X = np.repeat([[1.0, 2.0], [3.0, 5.0]], 6, axis=0)
    X[6:] += np.random.default_rng(0).normal(size=(6, 2))
    groups = np.repeat([0, 1], 6)
    with pytest.raises(DataError, match="leaves 6 of 12 records"):
        MicroHybrid().synthetic(X, X[:, :0], groups, np.random.default_rng(0))
    with pytest.raises(DataError, match="They are all alike in their group"):
        MicroHybrid(small_groups="drop-others").synthetic(X, X[:, :0], groups, np.random.default_rng(0))
    assert MicroHybrid(small_groups="merge").synthetic(X, X[:, :0], groups, np.random.default_rng(0)).unchanged == 0


def test_merging_everything_may_not_be_enough():
    V = mixed(0, 6, 8)
    with pytest.raises(TooFewRecordsError, match="all 6 records as one group"):
        MicroHybrid(small_groups="merge").synthetic(
            V[:, :1], V[:, 1:], np.array([0, 0, 0, 1, 1, 1]), np.random.default_rng(0)
        )


@pytest.mark.parametrize("name", sorted(MicroHybrid.limits))
def test_bad_parameters_are_refused(name):
    for value in MicroHybrid.limits[name].bad_values():
        with pytest.raises(ParameterError, match=name):
            MicroHybrid(**{name: value})


def test_an_error_survives_being_sent_to_another_process(census):
    X, Y, standard = census
    with pytest.raises(TooFewRecordsError) as caught:
        MicroHybrid().synthetic(X, Y, MDAV(k=5).fit(standard).labels_, np.random.default_rng(0))
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_merged_groups_are_given_back(census):
    X, Y, standard = census
    groups = MDAV(k=5).fit(standard).labels_
    new = MicroHybrid(small_groups="merge").synthetic(X, Y, groups, np.random.default_rng(0))
    pairs = set(zip(groups.tolist(), new.groups.tolist(), strict=True))
    assert len(pairs) == len(set(groups))  # no old group is torn apart
    assert np.bincount(new.groups).min() >= 13
    large = MDAV(k=200).fit(standard).labels_
    assert MicroHybrid(small_groups="merge").synthetic(X, Y, large, np.random.default_rng(0)).groups is None
