"""Read files each in a process of its own, and see how each process ended."""

from __future__ import annotations

import json
import os
import resource
import signal
import time
from dataclasses import dataclass
from pathlib import Path

from shoal.describe import describe_table
from shoal.errors import ShoalError
from shoal.read import (
    arrow_files,  # noqa: F401  # all readers, so that no fork has to import them
    as_table,
    csv_files,  # noqa: F401
    excel_files,  # noqa: F401
    statistical_files,  # noqa: F401
    xml_microdata,  # noqa: F401
)

__all__ = ["End", "read_alone"]


ENOUGH = 3000  # megabytes at which a process is ended, for the sake of the others on the machine


@dataclass(frozen=True)
class End:
    """How a process that read a file ended.

    Attributes
    ----------
    kind
        "read", "refused", "internal error", "several lines", "signal", "memory" or "too long".
    message
        What it said.
    seconds, megabytes
        The processor time and the most memory that it and the processes it started took together.
    """

    kind: str
    message: str
    seconds: float
    megabytes: float


def read_alone(path: Path, longest: float) -> End:
    """Read and describe a file in a fork of this process, which is ended after `longest` seconds by the clock."""
    receiving, sending = os.pipe()
    begin = time.perf_counter()
    child = os.fork()
    if child == 0:
        os.close(receiving)
        _report(path, sending)
    os.close(sending)
    signalled, usage, together = _wait(child, begin + longest)
    seconds = usage.ru_utime + usage.ru_stime
    with os.fdopen(receiving, "rb") as pipe:
        said = pipe.read()
    if not said:
        kind = (
            "signal"
            if signalled != signal.SIGKILL
            else "too long"
            if time.perf_counter() > begin + longest
            else "memory"
        )
        return End(kind, f"signal {signalled}", seconds, max(together, usage.ru_maxrss / 1024))
    kind, message = json.loads(said)
    return End(kind, message, seconds, max(together, usage.ru_maxrss / 1024))


def _report(path: Path, sending: int) -> None:
    os.setsid()
    kind, message = "read", ""
    try:
        describe_table(as_table(path))
    except ShoalError as error:
        message = str(error)
        kind = "refused" if message.strip() and "\n" not in message and len(message) < 1000 else "several lines"
        if "could not be started" in message:  # says nothing about the file
            kind = "internal error"
    except BaseException as error:
        kind, message = "internal error", repr(error)[:2000]
    os.write(sending, json.dumps([kind, message]).encode())
    os._exit(0)


def _wait(child: int, until: float) -> tuple[int, resource.struct_rusage, float]:
    """Wait for a process; return the signal that ended it, what it took, and the most memory of it and its children."""
    together = 0.0
    while True:
        ended, status, usage = os.wait4(child, os.WNOHANG)
        if ended:
            return (os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0), usage, together
        together = max(together, _megabytes(child))
        if time.perf_counter() > until or together > ENOUGH:
            os.killpg(child, signal.SIGKILL)
            _, _, usage = os.wait4(child, 0)
            return signal.SIGKILL, usage, together
        time.sleep(0.002)


def _megabytes(process: int) -> float:
    """Return the memory of a process and of those it started; 0 where the system does not say."""
    try:
        pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
        started = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    except (OSError, IndexError):
        return 0.0
    return pages * resource.getpagesize() / 2**20 + sum(_megabytes(int(one)) for one in started)
