"""A page asks and goes on: the answer comes later, the last question counts, and long ones can be stopped."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pandas as pd
import pytest

reactive = pytest.importorskip("shiny.reactive", reason="needs shiny (the studio extra)")

from shiny.types import SilentOperationInProgressException  # noqa: E402

from shoal.errors import ShoalError  # noqa: E402
from shoal.studio.pages.asked_task import Answer, AskedTask  # noqa: E402
from shoal.studio.pages.view import View  # noqa: E402
from shoal.studio.workspace import Workspace  # noqa: E402


def run(folder: Path, use: Callable[[Workspace, View], Awaitable[None]]) -> None:
    """Use a workspace with a small file open."""

    async def all_of_it() -> None:
        workspace = Workspace(folder)
        try:
            path = folder / "people.csv"
            pd.DataFrame({"age": range(20, 60), "sex": ["f", "m"] * 20}).to_csv(path, index=False)
            await workspace.open(path, "people.csv", {})
            await use(workspace, View(workspace))
        finally:
            workspace.close()

    with ThreadPoolExecutor(1) as pool:  # in this thread, tests in the browser may have a loop of their own
        pool.submit(asyncio.run, all_of_it()).result()


def ask(question: AskedTask, **arguments: object) -> Answer:
    with reactive.isolate():
        return question(**arguments)


async def answered(question: AskedTask, **arguments: object) -> Answer:
    for _ in range(1200):
        answer = ask(question, **arguments)
        if not answer.is_waiting:
            return answer
        await asyncio.sleep(0.05)
    raise AssertionError("no answer")


def test_a_question_waits_is_answered_and_keeps_the_last_value_meanwhile(tmp_path):
    async def use(workspace: Workspace, view: View) -> None:
        question = AskedTask(view, "recoding.ways_for")
        assert ask(question, options={}, column="age") == Answer(None, "", is_waiting=True)
        found = await answered(question, options={}, column="age")
        assert found.value.greatest == 59
        meanwhile = ask(question, options={}, column="sex")
        assert meanwhile.is_waiting
        assert meanwhile.value == found.value
        assert (await answered(question, options={}, column="sex")).value.ways == ("merge",)

    run(tmp_path, use)


def test_only_the_last_of_several_questions_is_answered(tmp_path):
    async def use(workspace: Workspace, view: View) -> None:
        question = AskedTask(view, "recoding.effect_on_k")
        for width in range(1, 30):
            recodes = {"recodes": {"age": f"bands:width={width}"}}
            ask(question, options=recodes, keys=["age"], k=3, unit=None)
            await asyncio.sleep(0)
        found = await answered(question, options=recodes, keys=["age"], k=3, unit=None)
        assert found.value.alone["age"].values["age"] == 3  # bands of 29: from 0, 29 and 58 on
        await asyncio.sleep(0.2)
        assert ask(question, options=recodes, keys=["age"], k=3, unit=None) == found

    run(tmp_path, use)


def test_a_problem_is_told_in_words(tmp_path):
    async def use(workspace: Workspace, view: View) -> None:
        question = AskedTask(view, "recoding.effect_on_k")
        recodes = {"recodes": {"sex": "bands:width=5"}}
        found = await answered(question, options=recodes, keys=["sex"], k=3, unit=None)
        assert found.value is None
        assert '"sex"' in found.problem

    run(tmp_path, use)


def test_what_takes_long_is_asked_apart_and_can_be_stopped(tmp_path):
    async def use(workspace: Workspace, view: View) -> None:
        long, quick = (
            AskedTask(view, "recoding.cost_of_suppression", apart=True),
            AskedTask(view, "recoding.category_columns"),
        )
        asked = {"options": {}, "columns": ["sex"], "k": 3}
        ask(long, **asked)
        found = await answered(quick, options={}, kinds={"sex": "nominal"})
        assert found.value == ["sex"]
        long.stop()
        assert ask(long, **asked).is_waiting
        found = await answered(long, **asked)
        assert found.value["cells"] == {"sex": 0}
        assert found.problem == ""

    run(tmp_path, use)


def test_what_is_drawn_only_once_the_answer_is_there_stays_as_it_was_and_is_grey_until_then(tmp_path):
    async def use(workspace: Workspace, view: View) -> None:
        question = AskedTask(view, "recoding.ways_for")
        asked = {"options": {}, "column": "age"}
        with reactive.isolate(), pytest.raises(SilentOperationInProgressException):
            question.answered(**asked)
        await answered(question, **asked)
        with reactive.isolate():
            assert question.answered(**asked).greatest == 59
        with (
            reactive.isolate(),
            pytest.raises(SilentOperationInProgressException),
        ):  # another question, not the last answer
            question.answered(options={}, column="sex")

    run(tmp_path, use)


def test_a_problem_is_an_error_where_the_answer_is_taken(tmp_path):
    async def use(workspace: Workspace, view: View) -> None:
        question = AskedTask(view, "recoding.effect_on_k")
        asked = {"options": {"recodes": {"sex": "bands:width=5"}}, "keys": ["sex"], "k": 3, "unit": None}
        await answered(question, **asked)
        with reactive.isolate(), pytest.raises(ShoalError, match='"sex"'):
            question.answered(**asked)

    run(tmp_path, use)
