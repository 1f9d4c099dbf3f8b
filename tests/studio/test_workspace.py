"""The workspace of a studio: releases one after the other, cancelled at once, and nothing left of what was not made."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest

import shoal
from shoal.errors import DisclosureWarning
from shoal.studio.decisions import Decisions
from shoal.studio.workspace import Workspace

RECORDS = 60


def in_workspace(tmp_path, use):
    """Open a small survey in a workspace, use it, and end its work."""

    async def run() -> None:
        path = tmp_path / "upload-1.csv"
        shoal.datasets.households(RECORDS, seed=1).to_csv(path, index=False)
        workspace = Workspace(tmp_path)
        try:
            await workspace.open(path, "mine.csv", {})
            await use(workspace)
        finally:
            workspace.close()

    with ThreadPoolExecutor(1) as pool:  # in this thread, tests in the browser may have a loop of their own
        pool.submit(asyncio.run, run()).result()


async def until(happened, what: str) -> None:
    for _ in range(2400):
        if happened():
            return
        await asyncio.sleep(0.05)
    raise AssertionError(f"waited for {what}")


def folders(tmp_path) -> list[str]:
    return sorted(one.name for one in tmp_path.glob("attempt-*"))


def test_an_attempt_has_the_headline_of_the_release_that_its_decisions_make(tmp_path):
    async def use(workspace):
        decisions = workspace.state.decisions.with_k(3).with_option("seed", 5)
        workspace.decide("k = 3", decisions)
        workspace.protect()
        await until(lambda: workspace.state.running is None, "the release")
        (attempt,) = workspace.state.attempts
        with pytest.warns(DisclosureWarning) as warned:
            again = shoal.protect(tmp_path / "upload-1.csv", 3, **decisions.options)
        assert attempt.warnings == tuple(str(one.message) for one in warned)
        headline = attempt.summary.headline
        assert (headline.k, headline.uniques) == (again.headline["k"], again.headline["uniques"])
        assert headline.linkage == pytest.approx(again.headline["linkage"])
        assert attempt.risk == pytest.approx(float(again.evaluate().score.risk))
        assert workspace.state.attempt is attempt
        workspace.rename(attempt.number, "  the first ")
        assert workspace.state.attempt.title == "the first"
        workspace.rename(attempt.number, "")
        assert workspace.state.attempt.title == workspace.state.attempt.what == "mdav + mean, mode, k=3"

    in_workspace(tmp_path, use)


def test_several_are_made_one_after_the_other_and_a_problem_of_one_does_not_stop_the_others(tmp_path):
    async def use(workspace):
        base = workspace.state.decisions
        workspace.protect([base.with_k(k) for k in (3, RECORDS + 1, 4)])
        workspace.protect()  # while others are made nothing happens
        await until(lambda: workspace.state.running is None, "three releases")
        assert [(one.number, one.decisions.k) for one in workspace.state.attempts] == [(1, 3), (2, 4)]
        assert workspace.state.problem.startswith(f"mdav, mean, k={RECORDS + 1}: ")
        assert len(folders(tmp_path)) == 2
        workspace.forget(2)
        assert len(folders(tmp_path)) == 1
        assert workspace.state.shown == 1

    in_workspace(tmp_path, use)


def test_cancel_ends_a_long_search_and_what_waits_behind_it_and_leaves_nothing(tmp_path):
    async def use(workspace):
        long = workspace.state.decisions.with_k(3).with_option("method", "refine:seconds=600")
        workspace.protect([long, long])
        await until(lambda: workspace.state.running.part > 0, "progress")
        workspace.cancel()
        assert workspace.state.running is None
        await asyncio.wait_for(workspace._work, 60)  # of the 600 seconds that the search was given
        assert workspace.state.attempts == ()
        assert workspace.state.problem == ""
        assert folders(tmp_path) == []
        workspace.protect([workspace.state.decisions.with_k(3)])  # another process does the next
        await until(lambda: workspace.state.running is None, "a release")
        assert len(workspace.state.attempts) == 1

    in_workspace(tmp_path, use)


def test_a_new_file_ends_what_is_done_with_the_one_before(tmp_path):
    async def use(workspace):
        workspace.protect([workspace.state.decisions.with_k(3).with_option("method", "refine:seconds=600")])
        other = tmp_path / "upload-2.csv"
        shoal.datasets.households(RECORDS, seed=2).to_csv(other, index=False)
        before = workspace._work
        await workspace.open(other, "other.csv", {})
        await before
        assert workspace.state.running is None
        assert workspace.state.attempts == ()
        assert workspace.state.file.name == "other.csv"
        assert folders(tmp_path) == []

    in_workspace(tmp_path, use)


def test_what_takes_long_is_measured_when_asked_for(tmp_path):
    async def use(workspace):
        workspace.decide("k = 3", workspace.state.decisions.with_k(3))
        workspace.protect()
        await until(lambda: workspace.state.running is None, "the release")
        assert workspace.state.attempt.summary.category_ways == []
        workspace.measure_all(1)
        await until(lambda: workspace.state.running is None, "the measures")
        attempt = workspace.state.attempt
        assert attempt.is_full
        assert [one.way for one in attempt.summary.category_ways] == ["group", "suppress", "within"]
        assert attempt.summary.proven is not None

    in_workspace(tmp_path, use)


def test_a_method_that_was_chosen_is_kept_though_it_is_the_usual_one():
    """Where nobody chose one, a replacement such as "ipso" takes its own."""
    chosen = Decisions().with_option("method", "mdav")
    assert chosen.options == {"method": "mdav"}
    assert chosen.with_option("method", None) == Decisions()
    assert Decisions().with_option("missing", "error") == Decisions()
