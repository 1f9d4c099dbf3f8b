"""Shuffling keeps every distribution exactly and correlations of ranks about, also with what stays."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtri
from scipy.stats import rankdata, spearmanr

from shoal.replace import Shuffle
from shoal.replace.perturb.base import Part
from shoal.replace.perturb.shuffle import normal_quantiles, normal_scores


def part_of(**columns):
    values = {name: np.array(column, dtype=np.float64) for name, column in columns.items()}
    return Part(values, dict.fromkeys(values, "continuous"), {}, k=2)


def test_quantiles_are_those_of_scipy():
    shares = np.concatenate([np.linspace(0.001, 0.999, 999), [1e-300, 1e-20, 1e-8, 1 - 1e-8, 1 - 2**-53]])
    np.testing.assert_allclose(normal_quantiles(shares), ndtri(shares), rtol=4e-15, atol=1e-16)


@given(st.lists(st.one_of(st.just(np.nan), st.integers(0, 4).map(float), st.floats(-1e9, 1e9)), max_size=30))
def test_scores_are_quantiles_of_mean_ranks(column):
    values = np.array(column, dtype=np.float64)
    observed = ~np.isnan(values)
    expected = np.zeros(len(values))
    expected[observed] = ndtri(rankdata(values[observed]) / (observed.sum() + 1))
    np.testing.assert_allclose(normal_scores(values), expected, atol=1e-13)


@given(
    st.lists(
        st.tuples(*[st.one_of(st.just(np.nan), st.integers(0, 4).map(float), st.floats(-1e300, 1e300))] * 3),
        min_size=1,
        max_size=40,
    ),
    st.sampled_from([(), ("a",), ("a", "b")]),
    st.integers(0, 2**32),
)
def test_every_shuffled_column_is_a_permutation_and_missing_values_stay(rows, confidential, seed):
    part = part_of(**dict(zip("abc", np.array(rows).T, strict=True)))
    taken = Shuffle(confidential).perturbed(part, np.random.default_rng(seed)).taken
    assert list(taken) == list(confidential or "abc")
    for name, order in taken.items():
        assert sorted(order) == list(range(len(rows)))
        assert (np.isnan(part.values[name][order]) == np.isnan(part.values[name])).all()


@pytest.fixture(scope="module")
def sample():
    rng = np.random.default_rng(3)
    z = rng.standard_normal((4000, 3)) @ np.array([[1.0, 0.8, -0.5], [0.0, 0.6, 0.4], [0.0, 0.0, 0.77]])
    return {"a": np.exp(z[:, 0]), "b": z[:, 1] ** 3, "c": z[:, 2]}


@pytest.mark.parametrize("confidential", [(), ("a", "b"), ("c",)])
def test_rank_correlations_are_kept_about(sample, confidential):
    taken = Shuffle(confidential).perturbed(part_of(**sample), np.random.default_rng(0)).taken
    after = {name: values[taken[name]] if name in taken else values for name, values in sample.items()}
    before = spearmanr(np.column_stack([*sample.values()])).statistic
    np.testing.assert_allclose(spearmanr(np.column_stack([*after.values()])).statistic, before, atol=0.04)
    for name in taken:
        assert (np.sort(after[name]) == np.sort(sample[name])).all()


def test_what_is_given_out_does_not_follow_the_record_beyond_what_stays(sample):
    taken = Shuffle().perturbed(part_of(**sample), np.random.default_rng(0)).taken
    assert abs(spearmanr(sample["a"], sample["a"][taken["a"]]).statistic) < 0.05
