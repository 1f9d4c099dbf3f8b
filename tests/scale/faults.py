"""Runs of the command that are disturbed: workers killed, schedulers stopped, disks that fill, keys pressed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

__all__ = ["Run", "children_of", "left_in", "protect_command", "run_folder", "started", "wait_until", "without"]

PATIENCE = 240  # seconds before something that hangs is given up; nothing is measured


def protect_command(source: Path, output: Path, *options: object, records: int = 300) -> list[str]:
    """Return the command that protects a folder on workers of this machine."""
    command = ["protect", source, "--engine", "dask", "-k", 5, "--seed", 7, "-o", output, "--block-records", records]
    return [sys.executable, "-m", "shoal", *map(str, [*command, "-q", *options])]


def run_folder(output: Path) -> Path:
    """Return where runs keep what workers leave for each other, each in a folder of its own."""
    return output.with_name(f".{output.name}.shoal-run")


def left_in(output: Path, pattern: str) -> list[Path]:
    """Return what lies in the folders of runs."""
    return sorted(run_folder(output).glob(f"run-*/{pattern}"))


def wait_until(what: Callable[[], object], process: subprocess.Popen[str] | None = None) -> bool:
    """Wait until something is so, as long as a process runs; return whether it came to be."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if what():
            return True
        if process is not None and process.poll() is not None:
            return False
        time.sleep(0.005)
    raise TimeoutError("nothing happened")


def children_of(pid: int, name: str = "spawn_main") -> list[int]:
    """Return the processes that a process started and whose command line has a word in it: its workers."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                parent = int(folder.joinpath("stat").read_text().rpartition(")")[2].split()[1])
                command = folder.joinpath("cmdline").read_text()
            except OSError:
                continue
            if parent == pid and name in command:
                found.append(int(folder.name))
    return found


class Run:
    """A command that runs in a process, and a group of processes, of its own."""

    def __init__(self, command: Sequence[str], **environment: str) -> None:
        self.process = subprocess.Popen(
            list(command),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            env={**os.environ, **environment},
        )

    def when(self, what: Callable[[], object]) -> bool:
        """Wait until something is so; False if the command ended before."""
        return wait_until(what, self.process)

    def workers(self) -> list[int]:
        """Return the processes of its workers."""
        return children_of(self.process.pid)

    def end(self) -> tuple[int, str]:
        """Wait for its end; return its exit code and what it said of errors."""
        _, said = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, said

    def stop(self) -> None:
        """End whatever is left of it."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.communicate()


@contextmanager
def started(command: Sequence[str], **environment: str) -> Iterator[Run]:
    """Start a command, and leave nothing of it running."""
    run = Run(command, **environment)
    try:
        yield run
    finally:
        run.stop()


def without(folder: Path, *values: bytes) -> None:
    """Check that no file below a folder has one of some sequences of bytes in it."""
    for path in folder.rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            for value in values:
                assert value not in content, f"{path.name} holds an original value"
