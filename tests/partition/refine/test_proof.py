"""A search with a proof ends with the best partition, says so, and takes the same way every time."""

from __future__ import annotations

import os
import sys
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris

import shoal
from oracles.best_partitions import KINDS, least_sse, tiny_matrix
from shoal.errors import ParameterError
from shoal.partition import MDAV
from shoal.partition.bounds import column_generation, time_left
from shoal.partition.bounds.column_generation import IntegerSolution, best_of
from shoal.partition.bounds.time_left import OutOfTimeError
from shoal.partition.geometry.neighbours import nearest_records
from shoal.partition.refine import proof as proof_module
from shoal.partition.refine.proof import Proof
from shoal.partition.refine.refine import Refine

pytest.importorskip("highspy")

ENOUGH = 1_000_000  # steps: more than there are


def iris() -> np.ndarray:
    X = load_iris().data
    return (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)


def sse(X: np.ndarray, labels: np.ndarray) -> float:
    return float(sum(((X[labels == g] - X[labels == g].mean(axis=0)) ** 2).sum() for g in np.unique(labels)))


def proof_of(X: np.ndarray, k: int) -> Proof:
    return Proof(X, k, [MDAV(k).fit(X).labels_], nearest_records(X, min(24, len(X) - 1)))


@settings(max_examples=30)
@given(
    n=st.integers(4, 10), d=st.integers(1, 12), seed=st.integers(0, 10_000), kind=st.sampled_from(KINDS), data=st.data()
)
def test_tiny_files_are_solved_and_proven(n, d, seed, kind, data):
    k = data.draw(st.integers(2, n // 2))
    X = tiny_matrix(seed, n, d, kind)
    found = Refine(k, steps=ENOUGH, prove=True).fit(X)
    best = least_sse(X, k)
    assert found.sse_ == pytest.approx(best, rel=1e-9, abs=1e-20 * (X**2).sum())
    assert found.gap_ < 1e-8
    assert found.lower_bound_ <= best * (1 + 1e-12) + 1e-20 * (X**2).sum()
    assert found.sse_ <= found.start_sse_
    sizes = np.bincount(found.labels_)
    assert k <= sizes.min() <= sizes.max() <= 2 * k - 1


def test_iris_is_proven_optimal(monkeypatch):
    """150 records; the value is what this proof found, and the number of threads does not matter."""
    found = []
    for threads in (1, 2):
        monkeypatch.setattr(os, "cpu_count", lambda threads=threads: threads)
        found.append(Refine(5, steps=ENOUGH, prove=True).fit(iris()))
    assert found[0].sse_ == pytest.approx(21.764160472, abs=1e-8)
    assert found[0].sse_ == pytest.approx(sse(iris(), found[0].labels_))
    assert found[0].gap_ < 1e-6
    assert found[0].lower_bound_.method == "linear program"
    assert found[0].steps_ == found[1].steps_
    assert np.array_equal(found[0].labels_, found[1].labels_)


def test_the_same_steps_give_the_same_labels_in_one_go_or_paused():
    X = iris()[:30]
    at_once, paused = proof_of(X, 4), proof_of(X, 4)
    at_once.go_on(None, None)
    for steps in (1, 7, at_once.n_steps // 2, at_once.n_steps):
        paused.go_on(None, steps)
        assert paused.n_steps == steps
    assert np.array_equal(at_once.labels, paused.labels)
    assert at_once.bound == paused.bound == pytest.approx(paused.sse)


def test_where_a_search_has_come_to_its_end_another_begins():
    X, k = iris(), 10
    start, better = MDAV(k).fit(X).labels_, Refine(k, steps=640).fit(X).labels_
    numbers = []

    def explore(number):
        numbers.append(number)
        return (start, 0) if number == 0 else (better, 50 if len(numbers) < 5 else 0)

    proof = Proof(X, k, [start], nearest_records(X, 24), explore=explore)
    proof.go_on(None, 30)
    assert numbers == [0, 1, 1, 1, 1, 2]  # the third, too, was at its end
    assert proof.sse <= sse(X, better) * (1 + 1e-12) < sse(X, start)


def test_bounds_rise_and_errors_fall_from_step_to_step():
    X = iris()[:30]
    proof = proof_of(X, 4)
    before, bound = proof.sse, 0.0
    while True:
        step = proof.n_steps
        proof.go_on(None, step + 1)
        if proof.n_steps == step:
            break
        assert bound <= proof.bound <= proof.sse <= before
        assert proof.sse == pytest.approx(sse(X, proof.labels))
        before, bound = proof.sse, proof.bound


def test_the_steps_of_a_timed_proof_give_its_labels_again():
    timed = Refine(5, seconds=1.5, prove=True).fit(iris())
    again = Refine(5, steps=timed.steps_, prove=True).fit(iris())
    assert again.steps_ == timed.steps_
    assert np.array_equal(again.labels_, timed.labels_)


def test_a_bound_that_branching_raised_does_not_hide_better_partitions(monkeypatch):
    X = np.random.default_rng(1).normal(size=(15, 2))
    best, second = (
        4.416998460512877,
        np.array([0, 1, 2, 3, 4, 0, 6, 3, 6, 5, 6, 2, 5, 1, 4]),
    )  # the second best of all partitions
    calls = []

    def first_without_luck(pool, numbers, start, *arguments):
        """Return at first what a solver may when its branches are used up: no better partition, but a good bound."""
        calls.append(start)
        return IntegerSolution(start, best) if len(calls) == 1 else best_of(pool, numbers, start, *arguments)

    monkeypatch.setattr(proof_module, "best_of", first_without_luck)
    proof = Proof(X, 2, [second], nearest_records(X, 14))
    proof.go_on(None, None)
    assert proof.bound <= best * (1 + 1e-9)


def test_far_from_zero_the_bound_still_holds():
    X = np.round(4 * tiny_matrix(0, 14, 3, "spread"))
    best = Refine(3, steps=ENOUGH, prove=True).fit(X).sse_
    assert Refine(3, steps=ENOUGH, prove=True).fit(X + 1e15).lower_bound_ <= best * (1 + 1e-9)


def test_large_values():
    X = tiny_matrix(0, 14, 3, "spread")
    found, expected = (Refine(3, steps=ENOUGH, prove=True).fit(values) for values in (1e12 * X, X))
    assert found.sse_ == pytest.approx(1e24 * expected.sse_)
    assert found.gap_ < 1e-8


def test_too_few_records_for_two_groups_leave_no_gap():
    assert Refine(3, steps=ENOUGH, prove=True).fit(tiny_matrix(0, 5, 2, "spread")).gap_ < 1e-8


def test_a_proof_that_ran_out_of_time_goes_on(monkeypatch):
    X = iris()[:30]
    proof = proof_of(X, 4)

    def out_of_time(*arguments):
        raise OutOfTimeError

    monkeypatch.setattr(proof_module, "best_of", out_of_time)
    proof.go_on(None, None)
    monkeypatch.undo()
    proof.go_on(None, None)
    assert proof.bound == pytest.approx(proof.sse)


def test_a_linear_program_that_is_not_solved_proves_more_than_the_neighbours_do():
    """Two steps of the proof, after 40 of the search for each of 50 groups."""
    bounds = Refine(3, steps=50 * 40 + 2, prove=True).fit(iris()).lower_bound_.by_method
    solved = column_generation.bound_by_program(iris(), 3, None)
    assert max(bounds["neighbours"], 0.9 * solved) < bounds["linear program"] <= solved * (1 + 1e-9)


def test_the_last_bound_is_left_out_where_there_is_no_time_for_it():
    proof = proof_of(iris(), 3)
    proof.prove(0.0)
    assert proof.bound == 0
    proof.prove(None)
    assert 0 < proof.bound < proof.sse


def test_without_time_or_steps_there_is_the_start():
    for parameters in ({"seconds": 0}, {"steps": 0}):
        found = Refine(5, prove=True, **parameters).fit(iris())
        assert found.steps_ == 0
        assert np.array_equal(found.labels_, MDAV(5).fit(iris()).labels_)
        assert 0 < found.lower_bound_ < found.sse_


@pytest.mark.parametrize(("n", "k"), [(3, 3), (5, 3), (2, 2), (3, 2)])
def test_too_few_records_for_two_groups(n, k):
    X = tiny_matrix(0, n, 2, "spread")
    found = Refine(k, steps=ENOUGH, prove=True).fit(X)
    assert not found.labels_.any()
    assert found.lower_bound_ <= found.sse_ * (1 + 1e-12)


def test_identical_records_have_nothing_to_prove():
    found = Refine(3, seconds=1000, prove=True).fit(np.full((20, 2), 0.1))
    assert (found.steps_, found.gap_) == (0, 0)


@pytest.mark.parametrize("exponent", [-500, 500])
def test_values_whose_squares_cannot_be_written(exponent):
    X = tiny_matrix(1, 10, 2, "spread")
    expected = Refine(3, steps=ENOUGH, prove=True).fit(X)
    found = Refine(3, steps=ENOUGH, prove=True).fit(np.ldexp(X, exponent))
    assert np.array_equal(found.labels_, expected.labels_)
    assert found.gap_ < 1e-8


def test_where_no_proof_was_made_the_bound_says_why(monkeypatch):
    """Someone who asked for a proof has to know that there is none."""
    few = Refine(5, steps=1_000, prove=True).fit(iris())
    assert few.lower_bound_.note == (
        "The search has no proof of how good its groups are: its seconds or steps were used up before it got to one. "
        "Give it more."
    )
    assert Refine(5, steps=1_000).fit(iris()).lower_bound_.note == ""
    assert Refine(5, steps=50 * 40 + 2, prove=True).fit(iris()).lower_bound_.note == ""
    monkeypatch.setattr(column_generation, "MOST_RECORDS", 149)
    large = Refine(5, steps=2_000, prove=True).fit(iris()).lower_bound_.note
    assert large.startswith("The search has no proof of how good its groups are: it proves that of up to ")


def test_larger_files_are_searched_without_a_proof(monkeypatch):
    monkeypatch.setattr(column_generation, "MOST_RECORDS", 149)
    found = Refine(5, steps=2_000, prove=True).fit(iris())
    without = Refine(5, steps=2_000).fit(iris())
    assert found.steps_ == without.steps_
    assert np.array_equal(found.labels_, without.labels_)
    assert found.lower_bound_.method == "neighbours"


def test_a_large_k_needs_neither_more_memory_nor_more_time_than_there_is(monkeypatch):
    """With k = 75 the neighbours of every record are all others, and groups have 75 to 149 of them."""
    clock = iter(np.arange(0.0, 1e6))  # a second between any two looks at it
    monkeypatch.setattr(time_left, "time", SimpleNamespace(perf_counter=lambda: next(clock)))
    found = Refine(75, seconds=60, prove=True).fit(iris())
    assert next(clock) < 100
    assert set(found.lower_bound_.by_method) == {"neighbours", "prices"}
    again = Refine(75, steps=found.steps_, prove=True).fit(iris())
    assert np.array_equal(again.labels_, found.labels_)
    monkeypatch.setattr(column_generation, "_MOST_DISTANCES", 150 * 150 * 150 - 1)
    assert set(Refine(75, steps=1_000, prove=True).fit(iris()).lower_bound_.by_method) == {"neighbours"}


def test_without_highspy_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "highspy", None)  # importing it fails
    with pytest.raises(ParameterError, match=r'needs highspy.*pip install "shoal\[prove\]"') as caught:
        Refine(5, steps=10, prove=True).fit(iris())
    assert "\n" not in str(caught.value)
    assert Refine(5, steps=10).fit(iris()).steps_ == 10


def test_an_interrupted_proof_keeps_what_was_finished(monkeypatch):
    X = iris()[:30]
    steps = Proof._steps

    def interrupted(proof: Proof):
        for number, _ in enumerate(steps(proof)):
            if number == 20:
                raise KeyboardInterrupt
            yield

    monkeypatch.setattr(Proof, "_steps", interrupted)
    search = Refine(4, steps=ENOUGH, prove=True)
    with pytest.raises(KeyboardInterrupt):
        search.fit(X)
    monkeypatch.undo()
    again = Refine(4, steps=search.steps_, prove=True).fit(X)
    assert np.array_equal(search.labels_, again.labels_)
    on = Refine(4, search.labels_, steps=ENOUGH, prove=True).fit(X)
    assert on.sse_ <= again.sse_
    assert on.gap_ < 1e-6


def test_protect_repeats_a_proof_by_its_steps():
    table = pd.DataFrame(iris()[:30], columns=list("abcd"))
    releases = [
        shoal.protect(table, 4, columns=list("abcd"), method="refine:steps=100000,prove=true", seed=1) for _ in range(2)
    ]
    assert releases[0].data.equals(releases[1].data)
