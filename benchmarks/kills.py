"""Kill `shoal protect` at random moments over an existing release, in every format, and look at what is left.

    python benchmarks/kills.py                 # 7 kills a format and signal, and 12 of processes of their own
    python benchmarks/kills.py 20 39           # more
    python benchmarks/kills.py 2 0 .csv .xlsx  # of some formats

The release, its plan and its report are there before. After every kill each of them must be the old file or the new
one, byte for byte. After SIGTERM and SIGINT nothing else may be in the folder; after SIGKILL a temporary file may be,
which the next run must sweep. The system's temporary folder must stay empty throughout.

Most runs are forks of this process, which has everything imported already, so that a run is short and the kills lie
close together. Of three of them two are aimed: the kill comes just after the temporary file of the plan, the release or
the report has appeared. The rest start ``python -m shoal``.
"""

from __future__ import annotations

import atexit
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd

import shoal
from shoal.__main__ import main
from shoal.read.files import FORMATS

ENDINGS = [
    ending for ending, one in FORMATS.items() if one.writer is not None and not ending.startswith((".t", ".arr"))
]
SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
READ = ("in.csv", "fixed.toml")
OLD = b"what stood here before\n"


@dataclass
class Scene:
    """A folder with a table and an existing release of it."""

    folder: Path
    ending: str
    reports: bool = True  # which takes most of the time
    new: dict[str, bytes] = field(default_factory=dict)
    ends: float = 0.0  # seconds that a run takes

    @property
    def outputs(self) -> list[str]:
        """Return the files that are there before, and are replaced."""
        return [f"out{self.ending}", f"out{self.ending}.plan.toml", "report.html"]

    @property
    def arguments(self) -> list[str]:
        """Return the command that replaces them."""
        chosen = f"protect in.csv --plan fixed.toml -o out{self.ending} --quiet"  # the same bytes every time
        return [*chosen.split(), *(["--report", "report.html"] if self.reports else [])]

    def reset(self) -> None:
        """Put the old files there again, and nothing else."""
        for path in self.folder.iterdir():
            if path.is_file() and path.name not in READ:
                path.unlink()
        for name in self.outputs:
            (self.folder / name).write_bytes(OLD)

    def left(self) -> list[str]:
        """Return what is in the folder, or in the temporary folder, that nobody asked for."""
        names = {path.name for path in self.folder.iterdir()} - {*READ, "temporary", *self.outputs}
        return sorted([*names, *(path.name for path in (self.folder / "temporary").iterdir())])

    def states(self) -> list[str]:
        """Return of each output whether it is old, new or broken."""
        known = {name: {OLD: "old", self.new[name]: "new"} for name in self.outputs}
        return [known[name].get((self.folder / name).read_bytes(), "BROKEN") for name in self.outputs]


def fork(scene: Scene) -> int:
    """Run the command in a copy of this process, which ends as the command does."""
    process = os.fork()
    if process:
        return process
    code = 1
    try:
        os.chdir(scene.folder)
        os.environ["TMPDIR"] = tempfile.tempdir = str(scene.folder / "temporary")
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        sys.argv = ["shoal", *scene.arguments]
        main()
    except SystemExit as stop:
        code = stop.code if isinstance(stop.code, int) else 0
    finally:
        atexit._run_exitfuncs()
        os._exit(code)


def start(scene: Scene) -> int:
    """Run the command in a process of its own."""
    environment = dict(os.environ, TMPDIR=str(scene.folder / "temporary"))
    command = [sys.executable, "-m", "shoal", *scene.arguments]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    return subprocess.Popen(command, cwd=scene.folder, env=environment, **quiet).pid


def calibrate(scene: Scene, run: Callable[[Scene], int]) -> None:
    """Let the command end, and note how long it takes and what it writes."""
    scene.reset()
    scene.reports = True
    begin = time.perf_counter()
    os.waitpid(run(scene), 0)
    scene.ends = time.perf_counter() - begin
    scene.new = {name: (scene.folder / name).read_bytes() for name in scene.outputs}
    assert OLD not in scene.new.values(), f"{scene.ending}: not written"


def wait_for(scene: Scene, process: int, files: int) -> None:
    """Wait until so many temporary files have appeared one after the other, or the process has ended."""
    seen: set[str] = set()
    while len(seen) < files and not os.waitid(os.P_PID, process, os.WEXITED | os.WNOHANG | os.WNOWAIT):
        seen.update(path.name for path in scene.folder.glob(".shoal-*"))


def kill(
    scene: Scene, run: Callable[[Scene], int], number: int, files: int, moment: float, tally: Counter[str]
) -> list[str]:
    """Kill a run a moment after so many temporary files have appeared; return what is wrong afterwards."""
    scene.reset()
    process = run(scene)
    wait_for(scene, process, files)
    time.sleep(moment)
    os.kill(process, number)  # it is not waited for yet, so the number is still its own
    status = os.waitpid(process, 0)[1]
    tally["ended before"] += os.WIFEXITED(status) and os.WEXITSTATUS(status) == 0
    states, left = scene.states(), scene.left()
    tally.update(states)
    tally["release without its plan"] += states[:2] == ["new", "old"]
    wrong = [f"{name} is broken" for name, state in zip(scene.outputs, states, strict=True) if state == "BROKEN"]
    if left and number != signal.SIGKILL:
        wrong.append(f"left behind: {', '.join(left)}")
    if left and number == signal.SIGKILL:
        tally["left"] += 1
        scene.reports = False
        os.waitpid(run(scene), 0)
        still = scene.left()
        tally["swept"] += not still
        wrong += [f"not swept: {name}" for name in still]
    return [f"{scene.ending} {signal.Signals(number).name}, file {files}, {moment:.4f} s: {one}" for one in wrong]


COLUMNS = ["ended before", "old", "new", "left", "swept", "release without its plan"]


def show(name: str, kills: int, tally: Counter[str], wrong: int) -> None:
    cells = [f"{tally[column]:>{max(len(column), 5)}}" for column in COLUMNS]
    print(f"{name:<22} {kills:>5}  {'  '.join(cells)}  {wrong:>6}", flush=True)


def kills(folder: Path, endings: list[str], each: int, alone: int) -> list[str]:
    """Kill `each` forked runs a format and signal, and `alone` processes of their own; return what was wrong."""
    rng = random.Random(0)
    wrong: list[str] = []
    print(f"{'':<22} kills  {'  '.join(f'{column:>5}' for column in COLUMNS)}  faults")
    for ending in endings:
        scene = make_scene(folder, ending)
        calibrate(scene, fork)
        for number in SIGNALS:
            tally, before = Counter[str](), len(wrong)
            for time_of in range(each):
                scene.reports = time_of % 7 == 0
                files, moment = aim(rng, scene, at_random=time_of % 3 == 1)
                wrong += kill(scene, fork, number, files, moment, tally)
            show(f"{ending} {signal.Signals(number).name}", each, tally, len(wrong) - before)
    if alone:
        tally, before = Counter[str](), len(wrong)
        for time_of in range(alone):
            scene = make_scene(folder, endings[time_of % len(endings)])
            calibrate(scene, start)
            files, moment = aim(rng, scene, at_random=time_of % 4 == 0)
            wrong += kill(scene, start, SIGNALS[time_of % len(SIGNALS)], files, moment, tally)
        show("python -m shoal", alone, tally, len(wrong) - before)
    return wrong


def aim(rng: random.Random, scene: Scene, *, at_random: bool) -> tuple[int, float]:
    """Return after how many temporary files to kill a run, and how long after."""
    if at_random:
        return 0, rng.uniform(0, scene.ends if scene.reports else 0.2)
    return rng.randint(1, 3 if scene.reports else 2), rng.choice([0.0, rng.uniform(0, 0.002), rng.uniform(0, 0.1)])


def make_scene(folder: Path, ending: str) -> Scene:
    place = folder / f"scene{ending}"
    if not place.exists():
        (place / "temporary").mkdir(parents=True)
        rng = np.random.default_rng(0)
        frame = pd.DataFrame(rng.normal(size=(ROWS, 6)), columns=[f"c{number}" for number in range(1, 7)])
        frame.to_csv(place / "in.csv", index=False)
        shoal.protect(place / "in.csv", 3, seed=1).plan.to_toml(place / "fixed.toml")
    return Scene(place, ending)


ROWS = 1500

if __name__ == "__main__":
    each, alone = (int(text) for text in sys.argv[1:3] or ("7", "12"))
    endings = sys.argv[3:] or ENDINGS
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell lets what it runs in the background ignore it
    # Imported once, for all forks.
    import openpyxl  # noqa: F401
    import pyarrow.parquet  # noqa: F401
    import pyreadstat  # noqa: F401

    import shoal.cli.app
    import shoal.flow.protect
    import shoal.report.writing

    place = Path(tempfile.mkdtemp())  # TemporaryDirectory would remove it at the end of every fork
    faults = kills(place, endings, each, alone)
    shutil.rmtree(place)
    print(f"\n{len(endings) * len(SIGNALS) * each + alone} kills, {len(faults)} faults")
    print("\n".join(faults))
    sys.exit(bool(faults))
