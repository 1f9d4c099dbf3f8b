"""Tasks of an interrupted run that a cluster still carries out later: they do no harm to the next run."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from scale.faults import left_in
from scale.running import InThisProcess, bytes_of, mixed, numbers, write_parts
from shoal import Plan
from shoal.scale.cluster import Cluster
from shoal.scale.measured.measure import measure_parts
from shoal.scale.protect import protect_parts

Task = Callable[[], Any]


class Interrupted(InThisProcess):
    """A cluster on which a step is interrupted when half of its tasks are carried out; the others are still to come.

    Attributes
    ----------
    late
        All tasks of that step, which the cluster may carry out at any time afterwards, some of them once more.
    """

    def __init__(self, step: str) -> None:
        super().__init__()
        self._step, self.late = step, list[Task]()

    def map(self, function: Callable[..., Any], items: Iterable[Any], *shared: Any, doing: str = "") -> list[Any]:
        items = list(items)
        if doing != self._step:
            return super().map(function, items, *shared, doing=doing)
        self.late = [lambda item=item: function(item, *shared) for item in items]  # type: ignore[misc]
        super().map(function, items[: (len(items) + 1) // 2], *shared, doing=doing)
        raise KeyboardInterrupt


class WithLateTasks(InThisProcess):
    """A cluster that carries out late tasks of an earlier run after every step, as late as that."""

    def __init__(self, late: list[Task]) -> None:
        super().__init__()
        self._late, self.failed = late, 0

    def map(self, function: Callable[..., Any], items: Iterable[Any], *shared: Any, doing: str = "") -> list[Any]:
        results = super().map(function, items, *shared, doing=doing)
        for task in self._late:
            try:
                task()
            except Exception:  # what it needs is gone
                self.failed += 1
        return results


def protected_as(source: Path, output: Path, cluster: Cluster, columns: list[str]) -> dict[str, bytes]:
    options = {"seed": 7, "roles": {name: "identifier" for name in ("v0", "v1", "v2", "v3") if name not in columns}}
    protect_parts(source, output, cluster, k=5, options=options, block_records=300)
    return bytes_of(output)


STEPS = ["dividing the file", "protecting a block", "writing the release"]


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("same", [True, False], ids=["same command", "another command"])
def test_late_tasks_of_an_interrupted_run_do_no_harm_to_the_next(step, same, cluster, tmp_path):
    source = write_parts(numbers(1_500), tmp_path / "in", files=6)
    first, second = ["v0", "v1", "v2"], ["v0", "v1", "v2"] if same else ["v2", "v3"]
    output = tmp_path / "out"
    interrupted = Interrupted(step)
    with pytest.raises(KeyboardInterrupt):
        protected_as(source, output, interrupted, first)
    assert len(interrupted.late) >= 4
    assert not output.exists()
    late = WithLateTasks(interrupted.late)
    found = protected_as(source, output, late, second)
    assert late.failed
    plan = Plan.from_toml(tmp_path / "out.plan.toml")
    protect_parts(source, tmp_path / "again", cluster, plan=plan)
    assert found == bytes_of(tmp_path / "again")
    for task in interrupted.late:  # and even later
        with pytest.raises(Exception):  # noqa: B017  # whatever is gone first
            task()
    names = ["in", "out", "out.plan.toml", "again", "again.plan.toml"]
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(names)


def test_late_tasks_leave_no_original_value_behind(cluster, tmp_path):
    source = write_parts(numbers(1_500), tmp_path / "in", files=6)
    interrupted = Interrupted("protecting a block")
    with pytest.raises(KeyboardInterrupt):
        protected_as(source, tmp_path / "out", interrupted, ["v0", "v1", "v2"])
    assert {path.name for path in left_in(tmp_path / "out", "*")} == {"finished"}
    scattering = Interrupted("dividing the file")
    with pytest.raises(KeyboardInterrupt):
        protected_as(source, tmp_path / "out", scattering, ["v0", "v1", "v2"])
    for task in scattering.late:
        with pytest.raises(OSError):  # its folder is gone
            task()
    assert {path.name for path in left_in(tmp_path / "out", "*")} == {"finished"}
    assert left_in(tmp_path / "out", "finished/results/*.json")  # of the first of the two


def test_late_tasks_of_an_interrupted_measurement_do_no_harm_to_the_next(cluster, tmp_path):
    source, other = write_parts(mixed(900), tmp_path / "in"), write_parts(mixed(900, seed=1), tmp_path / "other")
    expected = measure_parts(source, other, cluster, aligned=True).to_dict()
    interrupted = Interrupted("comparing both files")
    with pytest.raises(KeyboardInterrupt):
        measure_parts(source, other, interrupted, aligned=True, columns=["age", "income"])
    late = WithLateTasks(interrupted.late)
    assert measure_parts(source, other, late, aligned=True).to_dict() == expected
    assert late.failed
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in", "other"]
