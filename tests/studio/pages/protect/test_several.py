"""Several methods at once, and attempts side by side."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from shoal.errors import ShoalError
from shoal.studio.decisions import Decisions
from shoal.studio.pages.protect.attempts import COMPARED, sorted_attempts
from shoal.studio.pages.protect.several import several_decisions
from shoal.studio.workspace import Attempt


def test_every_method_is_tried_with_every_k_and_one_that_promises_none_once():
    base = Decisions().with_option("missing", "fill")
    tried = several_decisions(base, "mdav, vmdav:gamma=0.5, mdav+median, rank-swap:p=5", "3, 5")
    assert [(one.get("method"), one.get("replace") or "mean", one.k) for one in tried] == [
        ("mdav", "mean", 3),
        ("mdav", "mean", 5),
        ("vmdav:gamma=0.5", "mean", 3),
        ("vmdav:gamma=0.5", "mean", 5),
        ("mdav", "median", 3),
        ("mdav", "median", 5),
        ("one-group", "rank-swap:p=5", 3),
    ]
    assert all(one.get("missing") == "fill" for one in tried)


def test_a_method_can_have_several_parameters():
    (tried,) = several_decisions(Decisions(), "hac:cap=none,linkage=single", "4")
    assert tried.get("method") == "hac:cap=none,linkage=single"


@pytest.mark.parametrize(
    "methods, ks, problem",
    [
        ("mdva", "3", 'There is no method "mdva"'),
        ("mdav", "three", "whole numbers with commas"),
        ("", "3", "at least one method"),
        ("mdav", ", ".join(map(str, range(2, 40))), "30 can be tried at once"),
    ],
)
def test_what_cannot_be_tried_is_said_in_one_line(methods, ks, problem):
    with pytest.raises(ShoalError, match=problem):
        several_decisions(Decisions(), methods, ks)


def attempt(number: int, k: int, risk: float | None) -> Attempt:
    headline = SimpleNamespace(k=k, uniques=0, linkage=1.0)
    return Attempt(
        number, "", "", Decisions(), Path(), SimpleNamespace(headline=headline), (), 1.0, risk, None, "microaggregation"
    )


def test_attempts_are_sorted_best_first_and_those_without_a_value_last():
    attempts = [attempt(1, 3, 20.0), attempt(2, 10, None), attempt(3, 5, 10.0)]
    assert [one.number for one in sorted_attempts(attempts, "k of records")] == [2, 3, 1]
    assert [one.number for one in sorted_attempts(attempts, "risk %")] == [3, 1, 2]
    assert [one.number for one in sorted_attempts(attempts[::-1], "")] == [1, 2, 3]


def test_the_best_is_marked_where_values_differ():
    attempts = [attempt(1, 3, 20.0), attempt(2, 10, None), attempt(3, 5, 10.0)]
    best = {one.name: one.best(attempts) for one in COMPARED}
    assert (best["k of records"], best["risk %"]) == (10, 10.0)
    assert best["unique"] is None
    assert best["loss %"] is None
