"""Rand, adjusted Rand, Jaccard, fuzzy Rand, alpha-cuts and centres."""

from __future__ import annotations

import json
from itertools import combinations, permutations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score, rand_score

from shoal.errors import NotApplicableError, ParameterError
from shoal.measure.partitions import (
    adjusted_rand_index,
    alpha_cut_distance,
    centre_distance,
    fuzzy_rand_index,
    jaccard_index,
    rand_index,
)
from shoal.parameters.limits import Number, OneOf, Whole

# The example of METHODS, section 8.
P = np.array([[0.8, 0.15, 0.05], [0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.2, 0.6, 0.2], [0.1, 0.1, 0.8]])
Q = np.array([[0.1, 0.85, 0.05], [0.15, 0.65, 0.2], [0.7, 0.1, 0.2], [0.3, 0.3, 0.4], [0.05, 0.05, 0.9]])

labels = st.integers(2, 30).flatmap(
    lambda n: st.tuples(*(st.lists(st.integers(0, 4), min_size=n, max_size=n) for _ in range(2)))
)


def test_worked_crisp():
    found = rand_index(P.argmax(axis=1), Q.argmax(axis=1))
    assert found == pytest.approx(0.8)
    assert found.parts == {"together": 1, "only_first": 1, "only_second": 1, "apart": 7}
    assert jaccard_index(P.argmax(axis=1), Q.argmax(axis=1)) == pytest.approx(1 / 3)


def test_worked_fuzzy():
    assert fuzzy_rand_index(P, Q) == pytest.approx(0.92)
    for order in permutations(range(3)):
        assert fuzzy_rand_index(P, Q[:, order]) == pytest.approx(0.92)


@pytest.mark.parametrize(
    ("options", "worked"),
    [
        ({}, [0.4, 0.2, 0, 0.4]),
        ({"keep_below": True}, [0.4, 0.28, 0.2, 0.31]),
        ({"align": False}, [1.6, 1.4, 1.2, 0.4]),
    ],
)
def test_worked_alpha_cuts(options, worked):
    found = alpha_cut_distance(P, Q, alpha=[0.2, 0.4, 0.6, 0.8], **options)
    assert list(found.by_alpha) == ["0.2", "0.4", "0.6", "0.8"]
    assert list(found.by_alpha.values()) == pytest.approx(worked)
    assert found == pytest.approx(np.mean(worked))
    assert found.alignment == ([0, 1, 2] if options.get("align") is False else [1, 0, 2])
    for alpha, one in zip((0.2, 0.4, 0.6, 0.8), worked, strict=True):
        alone = alpha_cut_distance(P, Q, alpha=alpha, **options)
        assert alone == pytest.approx(one) and "by_alpha" not in alone.parts
    cells = alpha_cut_distance(P, Q, alpha=[0.2, 0.4, 0.6, 0.8], normalize="cells", **options)
    assert cells == pytest.approx(found / 3)


@given(labels)
def test_rand_and_jaccard_count_pairs(both):
    """Against a loop over all pairs, and scikit-learn."""
    first, second = both
    pairs = [(first[i] == first[j], second[i] == second[j]) for i, j in combinations(range(len(first)), 2)]
    joined = [pair for pair in pairs if any(pair)]
    assert rand_index(first, second) == pytest.approx(rand_score(first, second))
    assert rand_index(first, second) == pytest.approx(np.mean([one == two for one, two in pairs]))
    assert jaccard_index(first, second) == pytest.approx(np.mean([all(pair) for pair in joined]) if joined else 1)


@given(labels)
def test_adjusted_rand_against_scikit_learn(both):
    found = adjusted_rand_index(*both)
    assert found == pytest.approx(adjusted_rand_score(*both), abs=1e-12)
    assert found.parts == rand_index(*both).parts
    assert -0.5 <= found <= 1


@pytest.mark.parametrize("first", [[0, 0, 1, 1, 2, 2], [0, 1, 2, 2, 2, 2], [0, 0, 0, 1, 1, 1]])
@pytest.mark.parametrize("second", [[0, 0, 0, 1, 1, 2], [0, 1, 1, 1, 1, 1]])
def test_adjusted_rand_is_the_rand_index_above_its_mean_over_all_assignments(first, second):
    """By brute force: the mean is taken over all 720 orders of the labels."""
    by_chance = np.mean([rand_index(first, order) for order in permutations(second)])
    expected = (rand_index(first, second) - by_chance) / (1 - by_chance)
    assert adjusted_rand_index(first, second) == pytest.approx(expected)


def test_adjusted_rand_at_its_ends():
    assert adjusted_rand_index([0, 0, 1, 1], [0, 1, 0, 1]) == -0.5
    for first in ([0] * 5, range(5)):  # nothing could be otherwise by chance
        assert adjusted_rand_index(first, first) == 1
    assert adjusted_rand_index([0] * 5, range(5)) == 0


# What the fuzzy Rand index measures differences of memberships by, as functions of two records.
NORMS = {
    "l1": lambda u, v: np.abs(u - v).sum() / 2,
    "l2": lambda u, v: np.sqrt(((u - v) ** 2).sum() / 2),
    "max": lambda u, v: np.abs(u - v).max(),
}
every_norm = pytest.mark.parametrize("norm", NORMS)


@every_norm
@given(labels)
def test_the_fuzzy_rand_index_of_crisp_partitions_is_the_rand_index(norm, both):
    first, second = (np.array(one) for one in both)
    expected = rand_index(first, second)
    assert fuzzy_rand_index(np.eye(5)[first], np.eye(5)[second], norm=norm) == pytest.approx(expected)
    assert fuzzy_rand_index(first, second, norm=norm) == pytest.approx(expected)
    assert fuzzy_rand_index(np.eye(5)[first], list(second), norm=norm) == pytest.approx(expected)


@every_norm
def test_fuzzy_rand_against_a_loop_over_all_pairs(norm):
    """Also over several blocks of records, and for numbers of clusters that differ."""
    rng = np.random.default_rng(0)
    first, second = rng.dirichlet(np.ones(3), 60), rng.dirichlet(np.ones(4), 60)
    second[::7] = second[0]  # ties
    second[1::7] *= 0.5  # a record that belongs to no cluster by a half
    apart = [
        abs(NORMS[norm](first[i], first[j]) - NORMS[norm](second[i], second[j])) for i, j in combinations(range(60), 2)
    ]
    assert fuzzy_rand_index(first, second, norm=norm) == pytest.approx(1 - np.mean(apart))
    many = np.repeat(first, 100, axis=0), np.repeat(second, 100, axis=0)
    assert 60 * 100 * 60 * 100 > 2**24
    # Of the pairs of 6000 records, those of copies of one record count 0, the others 100 * 100 times each.
    expected = 1 - 100**2 * np.sum(apart) / (6000 * 5999 / 2)
    assert fuzzy_rand_index(*many, norm=norm) == pytest.approx(expected, rel=1e-12)


def test_norms_of_the_fuzzy_rand_index():
    """Records that share no cluster, each halfway between two, are as far apart as can be by the first norm only."""
    first, second = [[0.5, 0.5, 0, 0], [0, 0, 0.5, 0.5]], [[1.0, 0], [1, 0]]
    found = {norm: fuzzy_rand_index(first, second, norm=norm).value for norm in NORMS}
    assert found == pytest.approx({"l1": 0, "l2": 1 - np.sqrt(0.5), "max": 0.5})
    assert fuzzy_rand_index(first, second) == 0
    for bad in OneOf(tuple(NORMS)).bad_values():
        with pytest.raises(ParameterError, match="norm must be one of"):
            fuzzy_rand_index(P, Q, norm=bad)


def test_centres_against_all_pairings():
    """Ties included: on a grid many centres are equally far."""
    rng = np.random.default_rng(2)
    for first, second in (rng.integers(0, 3, (2, 5, 2)).astype(float) for _ in range(20)):
        distances = np.sqrt(((first[:, None] - second) ** 2).sum(axis=2))
        best = min(distances[range(5), order].mean() for order in permutations(range(5)))
        found = centre_distance(first, second)
        assert found == pytest.approx(best) == pytest.approx(centre_distance(second, first).value)
        assert [i for i, _ in found.pairs] == sorted(j for _, j in found.pairs) == list(range(5))
        assert found.distances == pytest.approx([distances[i, j] for i, j in found.pairs])
        huge = centre_distance(first * 1e300, second * 1e300)
        assert huge == pytest.approx(best * 1e300)


def test_centres_left_over_are_paired_with_the_nearest():
    """Worked by hand: 0 and 10 with 1, 9 and 12; 12 is left over, 2 from 10."""
    few, many = [[0.0], [10]], [[12.0], [1], [9]]
    found = centre_distance(few, many)
    assert (found.pairs, found.distances) == ([[0, 1], [1, 2], [1, 0]], [1, 1, 2])
    assert found == pytest.approx(4 / 3)
    back = centre_distance(many, few)
    assert (back.pairs, back.distances) == ([[0, 1], [1, 0], [2, 1]], [2, 1, 1])
    assert centre_distance([[3.0]], [[0.0], [0], [0]]) == 3
    assert centre_distance([[0.0, 0]], [[0.0, 0]]) == 0
    assert json.dumps(found.parts)


@pytest.mark.parametrize("bad", [None, [], [1.0, 2], [[]], [["a"]], [[1.0, np.nan]], [[np.inf, 0]], [[1.0], [1, 2]]])
def test_centres_must_be_a_matrix(bad):
    with pytest.raises(ParameterError, match="second must be a matrix of finite numbers"):
        centre_distance([[1.0, 2]], bad)
    with pytest.raises(ParameterError, match="the same variables; first has 3 and second 2"):
        centre_distance([[1.0, 2, 3]], [[1.0, 2]])


def test_of_many_records_a_sample_is_taken():
    rng = np.random.default_rng(1)
    first, second = rng.dirichlet(np.ones(3), 3000), rng.dirichlet(np.ones(3), 3000)
    exact, drawn = fuzzy_rand_index(first, second), fuzzy_rand_index(first, second, sample=1000)
    assert (exact.sampled, drawn.sampled) == (None, 1000)
    assert drawn != exact and drawn == pytest.approx(exact.value, abs=0.01)
    assert drawn == fuzzy_rand_index(first, second, sample=1000, seed=0)
    assert drawn != fuzzy_rand_index(first, second, sample=1000, seed=1)


def test_labels_can_be_anything():
    expected = rand_index([0, 0, 1, 2], [0, 1, 1, 1])
    for first in (
        list("aabc"),
        np.array(list("aabc")),
        pd.Series(list("aabc"), dtype="category"),
        [(1, 2), (1, 2), 5, "b"],
    ):
        assert rand_index(first, [7.5, 1, 1, 1]) == expected
    assert rand_index([None, None, "a", "b"], [np.nan, 1, 1, 1]) == expected


def test_singletons():
    assert jaccard_index(range(5), list("abcde")) == 1
    assert rand_index(range(5), [0] * 5) == 0
    assert jaccard_index(range(5), [0] * 5) == 0


def test_partitions_that_cannot_be_compared():
    with pytest.raises(ParameterError, match="P has 3 and Q 2"):
        rand_index([1, 2, 3], [1, 2])
    with pytest.raises(NotApplicableError, match="2 records or more"):
        jaccard_index([1], [1])
    with pytest.raises(ParameterError, match="P must be one label for each record"):
        rand_index(P, Q)
    with pytest.raises(ParameterError, match="Q must be one label for each record"):
        rand_index([1, 2], [[1], [2]])


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ([[0.5, 0.5], [1.0]], "Q must be a matrix of memberships"),
        (P[:, :0], "Q must be a matrix of memberships"),
        (P[None], "Q must be a matrix of memberships"),
        (np.where(P == 0.8, np.nan, P), "without missing values"),
        (2 * P, "from 0 to 1"),
        (P - 0.1, "from 0 to 1"),
        (P[:4], "P has 5 and Q 4"),
    ],
)
def test_memberships_that_cannot_be_used(bad, message):
    for measure in (fuzzy_rand_index, alpha_cut_distance):
        with pytest.raises(ParameterError, match=message):
            measure(P, bad)


def test_memberships_that_sum_to_more_than_one_have_no_fuzzy_rand_index():
    with pytest.raises(ParameterError, match="sum to more than 1"):
        fuzzy_rand_index(P, np.full((5, 3), 0.9))
    assert alpha_cut_distance(P, np.full((5, 3), 0.9)) > 0


def test_the_smaller_partition_is_padded_with_empty_clusters():
    """Q without its second cluster, which is P's first: that one is left over, all that it has above 0.5 counts."""
    found = alpha_cut_distance(P, Q[:, [0, 2]])
    assert found.alignment == [None, 0, 1]
    assert found == pytest.approx((2 + 1 + 0) / 5)  # two records in P's first, the fourth one in its second
    assert alpha_cut_distance(P[:, [1, 2]], Q).alignment == [0, 2, 1]


def test_noise_matches_noise_only():
    """Swapped, the columns match better; but the last one is noise."""
    first, second = np.array([[0.9, 0.1], [0.2, 0.8]]), np.array([[0.1, 0.9], [0.8, 0.2]])
    assert alpha_cut_distance(first, second).alignment == [1, 0]
    found = alpha_cut_distance(first, second, noise=True)
    assert found.alignment == [0, 1]
    assert found == pytest.approx(2)
    wider = alpha_cut_distance(first, np.column_stack([np.zeros(2), second]), noise=True)
    assert wider.alignment[-1] == 2 and set(wider.alignment[:-1]) == {0, 1}


def test_matching_is_the_best_of_all_orders():
    """Against all permutations, on the memberships as they are."""
    rng = np.random.default_rng(2)
    for _ in range(20):
        first, second = rng.dirichlet(np.ones(4), 8), rng.dirichlet(np.ones(4), 8)
        best = min(permutations(range(4)), key=lambda order: np.abs(first - second[:, order]).sum())
        assert tuple(alpha_cut_distance(first, second).alignment) == best


def test_parts_are_ready_for_json():
    for found in (rand_index([1, 1], [1, 2]), fuzzy_rand_index(P, Q), alpha_cut_distance(P, Q[:, :2], alpha=[0, 1])):
        json.dumps(found.parts, allow_nan=False)


@pytest.mark.parametrize("bad", [*Number(0, 1).bad_values(), [], [0.2, 1.5]])
def test_alpha_must_be_between_0_and_1(bad):
    with pytest.raises(ParameterError, match="alpha must be"):
        alpha_cut_distance(P, Q, alpha=bad)


@pytest.mark.parametrize("name", ["keep_below", "noise", "align"])
def test_switches_are_true_or_false(name):
    with pytest.raises(ParameterError, match=f"{name} must be True or False"):
        alpha_cut_distance(P, Q, **{name: 1})
    with pytest.raises(ParameterError, match="normalize must be"):
        alpha_cut_distance(P, Q, normalize="record")


@pytest.mark.parametrize("bad", Whole(2).bad_values())
def test_a_sample_has_two_records_or_more(bad):
    with pytest.raises(ParameterError, match="sample must be"):
        fuzzy_rand_index(P, Q, sample=bad)
