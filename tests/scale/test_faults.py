"""Whatever happens in the middle of a run, the release is right or there is none, and no original values are left."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import dask
import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

import shoal
from scale.faults import left_in, protect_command, run_folder, started, wait_until, without
from scale.running import bytes_of, numbers, running_cluster, write_parts
from shoal.errors import ClusterError, ReadError, ShoalError, WriteError
from shoal.scale.cluster import Cluster
from shoal.scale.measured.measure import measure_parts
from shoal.scale.protect import protect_parts

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="finds processes in /proc")

RECORDS, FILES, BLOCK = 4_000, 40, 200
OUTLIER, NAME = 98765.4321, "Zaphod Beeblebrox"
ORIGINALS = [struct.pack("<d", OUTLIER), str(OUTLIER).encode(), NAME.encode()]


def file_with_secrets() -> pd.DataFrame:
    frame = numbers(RECORDS).assign(name=[f"{NAME} {number}" for number in range(RECORDS)])
    frame.loc[17, "v1"] = OUTLIER
    return frame


@pytest.fixture(scope="module")
def source(tmp_path_factory) -> Path:
    return write_parts(file_with_secrets(), tmp_path_factory.mktemp("faults") / "in", files=FILES)


@pytest.fixture(scope="module")
def whole(source, cluster) -> tuple[shoal.Plan, dict[str, bytes]]:
    """The plan of a run that nothing happened to, and what it wrote."""
    output = source.with_name("whole")
    options = {"seed": 7, "roles": {"name": "identifier"}}
    protect_parts(source, output, cluster, k=5, options=options, block_records=BLOCK)
    return shoal.Plan.from_toml(source.with_name("whole.plan.toml")), bytes_of(output)


def again(source: Path, output: Path, cluster: Cluster, plan: shoal.Plan) -> dict[str, bytes]:
    """Carry out the plan, and return what is written."""
    protect_parts(source, output, cluster, plan=plan)
    return bytes_of(output)


def nothing_but(*paths: Path) -> None:
    """Check that these are all files and folders where they are, hidden ones included."""
    assert sorted(paths[0].parent.iterdir()) == sorted(paths)


@contextmanager
def once(reached: Callable[[], Any], act: Callable[[], None]) -> Iterator[list[Any]]:
    """Do something once a file that runs in this process has come so far, in another thread."""
    seen: list[Any] = []

    def watch() -> None:
        wait_until(lambda: seen or (reached() and (seen.append(reached()) or act() or True)))

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield seen
    finally:
        seen.append("over")
        thread.join()


def stage(output: Path, folder: str, pattern: str, most: int) -> Callable[[], int]:
    """Return what counts the files of a step of the run, 0 where it has not begun or is all but over."""

    def count() -> int:
        found = len(left_in(output, f"{folder}/{pattern}"))
        return found if 0 < found < most else 0

    return count


STAGES = {
    "scattering": ("scattered", "[0-9]*.arrow", FILES),
    "protecting": ("finished/results", "*.json", RECORDS // BLOCK),
    "writing": ("release", "*.parquet", RECORDS // BLOCK),
}


# Workers, schedulers, clients --------------------------------------------------------------------------------------


@pytest.mark.parametrize("step", STAGES)
def test_workers_that_are_killed_are_replaced_and_the_release_is_the_same(source, whole, dask_cluster, tmp_path, step):
    plan, expected = whole
    workers = dask_cluster._given.run(os.getpid).values()
    output = tmp_path / "out"

    def kill() -> None:
        for pid in workers:
            os.kill(pid, signal.SIGKILL)

    with once(stage(output, *STAGES[step]), kill) as seen:
        written = again(source, output, dask_cluster, plan)
    assert len(seen) == 2  # the workers were killed in the middle of the step
    assert written == expected
    nothing_but(output, tmp_path / "out.plan.toml")


@pytest.mark.slow
def test_workers_that_take_longer_to_start_again_than_dask_waits_are_replaced_too(source, whole, tmp_path):
    """Dask gives a worker up that is not back after some seconds, as on a busy machine, and starts no other."""
    plan, expected = whole
    output = tmp_path / "out"
    with dask.config.set({"distributed.deploy.lost-worker-timeout": "1ms"}), running_cluster() as own:
        workers = own._given.run(os.getpid).values()

        def kill() -> None:
            for pid in workers:
                os.kill(pid, signal.SIGKILL)

        with once(stage(output, *STAGES["protecting"]), kill) as seen:
            written = again(source, output, own, plan)
        assert len(seen) == 2
    assert written == expected
    nothing_but(output, tmp_path / "out.plan.toml")


def dask_process(*arguments: object) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "distributed.cli.dask_scheduler", *map(str, arguments)]
    if "--nworkers" in arguments:
        command[2] = "distributed.cli.dask_worker"
    quiet = subprocess.DEVNULL
    return subprocess.Popen(command, stdout=quiet, stderr=quiet, start_new_session=True)


@contextmanager
def other_cluster(port: int) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """Start a scheduler and two workers as people do, at a port of this machine."""
    address = f"tcp://127.0.0.1:{port}"
    scheduler = dask_process("--host", "127.0.0.1", "--port", port, "--no-dashboard")
    workers = dask_process(address, "--nworkers", 2, "--nthreads", 1, "--no-dashboard", "--death-timeout", 60)
    try:
        yield scheduler, address
    finally:
        for one in (workers, scheduler):
            os.killpg(one.pid, signal.SIGKILL)
            one.wait()


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@pytest.mark.slow
def test_a_scheduler_that_is_stopped_ends_the_run_and_the_next_goes_on(source, whole, tmp_path):
    plan, expected = whole
    output, port = tmp_path / "out", free_port()
    with ExitStack() as stack:
        scheduler, address = stack.enter_context(other_cluster(port))
        with (
            once(stage(output, *STAGES["protecting"]), scheduler.kill) as seen,
            pytest.raises(ClusterError, match="The cluster went away while") as caught,
        ):
            protect_parts(source, output, Cluster(address), plan=plan)
        assert len(seen) == 2
        assert "\n" not in str(caught.value)
    assert not output.exists()
    assert left_in(output, "finished/results/*.json")
    without(tmp_path, *ORIGINALS)
    with other_cluster(port) as (_, address):
        protect_parts(source, output, Cluster(address), plan=plan)
    assert bytes_of(output) == expected
    nothing_but(output, tmp_path / "out.plan.toml")


def test_a_run_that_is_interrupted_leaves_finished_blocks_and_the_next_goes_on(source, whole, dask_cluster, tmp_path):
    plan, expected = whole
    output = tmp_path / "out"
    command = [
        *protect_command(source, output)[:7], "--plan", source.with_name("whole.plan.toml"), "-o", output,
        "--workers", 2, "--worker-memory", "2GB", "-q",
    ]  # fmt: skip
    with started(list(map(str, command))) as run:
        assert run.when(stage(output, *STAGES["protecting"]))
        os.killpg(run.process.pid, signal.SIGINT)  # as a terminal does: workers get it too
        code, said = run.end()
    assert (code, said) == (130, "shoal: error: interrupted; no file was left half written.\n")
    assert not output.exists()
    assert {path.name for path in left_in(output, "*")} == {"finished"}
    without(tmp_path, *ORIGINALS)
    finished = {path.name: path.stat().st_mtime_ns for path in left_in(output, "finished/results/*")}
    assert finished
    still = dict[str, int]()

    def look() -> None:
        now = {path.name: path.stat().st_mtime_ns for path in left_in(output, "finished/results/*")}
        still.update({name: now[name] for name in finished})

    with once(stage(output, *STAGES["writing"]), look):
        written = again(source, output, dask_cluster, plan)
    assert still == finished  # they were not carried out again
    assert written == expected
    nothing_but(output, tmp_path / "out.plan.toml")


@pytest.mark.slow
def test_a_run_that_is_killed_leaves_no_workers_and_the_next_tidies_up(source, whole, cluster, tmp_path):
    plan, expected = whole
    output = tmp_path / "out"
    with started(protect_command(source, output, "--role", "name=identifier", "--workers", 2, records=BLOCK)) as run:
        assert run.when(stage(output, *STAGES["scattering"]))
        workers = run.workers()
        run.process.kill()
        run.end()
        wait_until(lambda: not any(Path(f"/proc/{pid}/cmdline").exists() for pid in workers))
    assert workers
    assert not output.exists()
    assert again(source, output, cluster, plan) == expected
    nothing_but(output, tmp_path / "out.plan.toml")


def test_a_second_run_for_the_same_output_is_refused_and_the_first_goes_on(source, whole, dask_cluster, tmp_path):
    plan, expected = whole
    output, said = tmp_path / "out", list[str]()

    def second() -> None:
        with pytest.raises(WriteError, match="is being written by another run") as caught:
            again(source, output, Cluster(client=dask_cluster._given), plan)
        said.append(str(caught.value))

    with once(stage(output, *STAGES["protecting"]), second):
        written = again(source, output, dask_cluster, plan)
    assert len(said) == 1
    assert "\n" not in said[0]
    assert written == expected
    nothing_but(output, tmp_path / "out.plan.toml")


KILLED_AT_RENAME = """
import os, signal, sys
from shoal.__main__ import main

def kill(event, arguments):
    if event == "os.rename" and os.fspath(arguments[1]) == sys.argv[-1]:
        os.kill(os.getpid(), signal.SIGKILL)

if __name__ == "__main__":
    sys.addaudithook(kill)
    main()
"""


@pytest.mark.slow
@pytest.mark.parametrize("next_run", ["protects", "fails"])
def test_a_run_that_is_killed_while_its_release_takes_the_place_of_another(source, whole, cluster, tmp_path, next_run):
    plan, expected = whole
    output = tmp_path / "out"
    before = again(source, output, cluster, plan.model_copy(update={"k": 6}))
    of_before = (tmp_path / "out.plan.toml").read_bytes()
    command = [*protect_command(source, output, "--role", "name=identifier", "--workers", 1, records=BLOCK)[3:]]
    at = command.index(str(output)) - 1
    command = [*command[:at], *command[at + 2 :], "-o", str(output)]  # the place that is waited for comes last
    ran = subprocess.run([sys.executable, "-c", KILLED_AT_RENAME, *command], capture_output=True, text=True)
    assert ran.returncode == -signal.SIGKILL, ran.stderr
    assert not output.exists()
    with pytest.raises(ReadError, match="The one before is ") as caught:
        measure_parts(source, output, cluster)
    assert str(run_folder(output) / "before") in str(caught.value)
    if next_run == "protects":
        assert again(source, output, cluster, plan) == expected
    else:
        with pytest.raises(ShoalError):
            protect_parts(source, output, cluster, k=5, options={"columns": ["none"]}, block_records=BLOCK)
        assert bytes_of(output) == before
        assert (tmp_path / "out.plan.toml").read_bytes() == of_before


# Disks -------------------------------------------------------------------------------------------------------------


@pytest.fixture
def small_disk(tmp_path) -> Iterator[Callable[[int], Path]]:
    """A file system of so many kB, which fills."""
    folder = tmp_path / "disk"
    folder.mkdir()

    def mount(size: int) -> Path:
        command = ["mount", "-t", "tmpfs", "-o", f"size={size}k", "tmpfs", str(folder)]
        if shutil.which("mount") is None or subprocess.run(command, capture_output=True, check=False).returncode:
            pytest.skip("may not mount a file system")
        return folder

    yield mount
    subprocess.run(["umount", str(folder)], capture_output=True, check=False)


@pytest.mark.parametrize("size", [40, 400, 800])
def test_a_disk_that_fills_leaves_nothing_that_looks_whole(source, whole, cluster, small_disk, size):
    disk = small_disk(size)
    before = disk / "out"
    before.mkdir()
    with pytest.raises(WriteError, match="the disk is full") as caught:
        protect_parts(source, disk / "out", cluster, plan=whole[0])
    assert "\n" not in str(caught.value)
    assert list(before.iterdir()) == []
    without(disk, *ORIGINALS)
    assert not left_in(disk / "out", "scattered")


SMALL = 2_000  # bytes


@pytest.fixture
def small_files(dask_cluster) -> Iterator[Callable[[int], None]]:
    """Workers that may write files of so many bytes at most, which needs no rights: the write fails in the middle."""
    own = resource.getrlimit(resource.RLIMIT_FSIZE)

    def limit(size: int) -> None:
        dask_cluster._given.run(resource.setrlimit, resource.RLIMIT_FSIZE, (size, own[1]))

    yield limit
    dask_cluster._given.run(resource.setrlimit, resource.RLIMIT_FSIZE, own)


class SmallFilesFrom(Cluster):
    """A cluster whose workers may write small files only from one step on."""

    def __init__(self, client: Any, step: str, limit: Callable[[int], None]) -> None:
        super().__init__(client=client)
        self._step, self._limit, self.is_reached = step, limit, False

    def map(self, function: Callable[..., Any], items: Any, *shared: Any, doing: str = "") -> list[Any]:
        if doing == self._step:
            self._limit(SMALL)
            self.is_reached = True
        return super().map(function, items, *shared, doing=doing)


@pytest.mark.parametrize("step", ["dividing the file", "protecting a block", "writing the release"])
def test_a_file_that_cannot_be_written_whole_leaves_nothing_that_looks_whole(
    source, whole, dask_cluster, small_files, tmp_path, step
):
    plan, expected = whole
    output, limited = tmp_path / "out", SmallFilesFrom(dask_cluster._given, step, small_files)
    with pytest.raises(WriteError, match="A worker could not go on") as caught:
        protect_parts(source, output, limited, plan=plan)
    assert limited.is_reached
    assert "\n" not in str(caught.value)
    assert not output.exists()
    without(tmp_path, *ORIGINALS)
    assert not left_in(output, "scattered")
    small_files(resource.RLIM_INFINITY)
    assert again(source, output, dask_cluster, plan) == expected
    nothing_but(output, tmp_path / "out.plan.toml")


# Parts -------------------------------------------------------------------------------------------------------------


@pytest.fixture
def parts(source, tmp_path) -> Path:
    return Path(shutil.copytree(source, tmp_path / "in"))


def refused(parts: Path, cluster: Cluster, kind: type[Exception], words: str) -> None:
    """Check that a folder is refused in one line that names the part, and that nothing is left."""
    output = parts.with_name("out")
    with pytest.raises(kind, match=words) as caught:
        protect_parts(parts, output, cluster, k=5, options={"roles": {"name": "identifier"}}, block_records=BLOCK)
    assert "part-003.parquet" in str(caught.value)
    assert "\n" not in str(caught.value)
    assert NAME not in str(caught.value)
    nothing_but(parts)


def test_a_part_with_damaged_pages(parts, cluster):
    path = parts / "part-003.parquet"
    content = bytearray(path.read_bytes())
    content[4:2_000] = np.random.default_rng(0).bytes(1_996)
    path.write_bytes(content)
    refused(parts, cluster, ReadError, "is damaged")


@pytest.mark.parametrize("kept", [0, 3, 1_000, -5])
def test_a_part_that_is_cut_off(parts, cluster, kept):
    path = parts / "part-003.parquet"
    path.write_bytes(path.read_bytes()[:kept])
    refused(parts, cluster, ReadError, "is damaged")


@pytest.mark.parametrize("change", [{"more": 1.0}, {"v1": "text"}])
def test_a_part_with_other_columns_or_types(parts, cluster, change):
    path = parts / "part-003.parquet"
    pd.read_parquet(path).assign(**change).to_parquet(path)
    refused(parts, cluster, ReadError, "has other columns, or other types")


def test_a_part_without_rows_is_passed_over(parts, whole, cluster):
    schema = pq.read_schema(parts / "part-003.parquet")
    pq.write_table(schema.empty_table(), parts / "part-0025.parquet")
    assert again(parts, parts.with_name("out"), cluster, whole[0]) == whole[1]


def rewritten(path: Path) -> None:
    table = pd.read_parquet(path)
    table.assign(v1=table["v1"] + 1).to_parquet(path.with_suffix(".new"))
    path.with_suffix(".new").replace(path)


@pytest.mark.parametrize(
    ("act", "words"),
    [(Path.unlink, "is not there any more"), (rewritten, "was changed while")],
    ids=["gone", "changed"],
)
def test_a_part_that_is_deleted_or_changed_in_the_middle(parts, dask_cluster, act, words):
    output = parts.with_name("out")
    plan = run_folder(output) / "plan.toml"  # written between the first look and the second
    with once(plan.exists, lambda: act(parts / "part-003.parquet")):
        refused(parts, dask_cluster, ReadError, words)
