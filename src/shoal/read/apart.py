"""Read a file in a process of its own, because libraries in C and C++ can crash on files that are damaged or crafted.

The other process reads and checks the file, and hands it over as an Arrow stream; a crash there is an error here. Its
memory and its processor time are limited where the system can do that.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import signal
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any

from shoal import errors
from shoal.read.budget import ReadingBudget, budget_of, bytes_of_text
from shoal.read.files import ReadOptions

__all__ = ["hand_over", "read_apart"]

TABLE = b"table\n"  # the first line of the answer, if a table follows
HAND_OVER = "from shoal.read.apart import hand_over; hand_over()"
# One thread each, and memory that is taken only when it is used, so that limits are about the file.
SMALL = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "ARROW_DEFAULT_MEMORY_POOL": "system"}


def read_apart(function: str, path: Path, options: ReadOptions) -> Any:
    """Return the Arrow table that a function of `shoal.read`, named "module.function", makes of a file.

    The function runs in another process. An error of shoal's that it raises is raised here, any other as ValueError.
    """
    import pyarrow.ipc

    path.open("rb").close()  # raises what the system has against it
    request = {"function": function, "path": str(path), "options": asdict(options)}
    with subprocess.Popen(
        [sys.executable, "-P", "-c", HAND_OVER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, **SMALL, "PYTHONPATH": os.pathsep.join(one for one in sys.path if one)},
    ) as process:
        assert process.stdin is not None and process.stdout is not None
        try:
            with contextlib.suppress(BrokenPipeError), process.stdin:
                process.stdin.write(json.dumps(request).encode())
            import pandas as pd  # noqa: F401  # needed next, and imported while the other process works

            answer = process.stdout.readline()
            table = pyarrow.ipc.open_stream(process.stdout).read_all() if answer == TABLE else None
        except BaseException:
            process.kill()
            raise
    if process.returncode != 0 or not answer:
        raise _crashed(path, options, process.returncode)
    if table is None:
        kind, message = json.loads(answer)
        raise getattr(errors, kind, ValueError)(message)
    return table


def _crashed(path: Path, options: ReadOptions, code: int) -> errors.ReadError:
    budget = budget_of(path, options.budget)
    ended_by = signal.Signals(-code).name if code < 0 else ""
    if ended_by == "SIGXCPU":
        return budget.exceeded(f"takes more than {budget.seconds} s to read")
    if ended_by == "SIGKILL":
        return errors.ReadError(f"{path} was not read: the process that read it was ended, perhaps for lack of memory.")
    if not ended_by:
        return errors.ReadError(f"{path} was not read: {sys.executable} could not be started to read it.")
    return errors.ReadError(f"{path} is damaged: the library that reads such files crashed on it.")


# In the other process -----------------------------------------------------------------------------------------------


def hand_over() -> None:
    """Read the file that standard input names, write its table or what is wrong with it to standard output; exit."""
    with os.fdopen(os.dup(1), "wb") as sink:
        os.dup2(2, 1)  # what a library prints is no part of the answer
        _answer(json.load(sys.stdin), sink)
    os._exit(0)  # at once: threads of Arrow that are still there can abort an orderly exit


def _answer(request: dict[str, Any], sink: IO[bytes]) -> None:
    import pyarrow.ipc

    try:
        table = _checked_table(request["function"], Path(request["path"]), ReadOptions(**request["options"]))
    except Exception as error:
        sink.write(json.dumps([type(error).__name__, str(error)]).encode() + b"\n")
        return
    sink.write(TABLE)
    with pyarrow.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)


def _checked_table(function: str, path: Path, options: ReadOptions) -> Any:
    budget = budget_of(path, options.budget)
    module, name = function.split(".")
    reader = getattr(importlib.import_module(f"shoal.read.{module}"), name)
    _limit(budget)
    try:
        table = reader(path, options)
        budget.refuse_table(table.num_rows, table.num_columns)
        table.validate(full=True)
        budget.refuse_text(sum(map(bytes_of_text, table.columns)))
    except MemoryError:
        raise budget.exceeded(f"takes more than {budget.memory:,} bytes of memory") from None
    return table


def _limit(budget: ReadingBudget) -> None:
    """Limit memory and processor time of this process and leave no image of it, where the system can do that."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        _lower(resource, resource.RLIMIT_CORE, 0)  # the memory of a process that crashes holds values of the data
        _lower(resource, resource.RLIMIT_CPU, budget.seconds)
        mapped = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        _lower(resource, resource.RLIMIT_AS, mapped + budget.memory)


def _lower(resource: Any, kind: int, limit: int) -> None:
    _, most = resource.getrlimit(kind)
    resource.setrlimit(kind, (limit if most < 0 else min(limit, most), most))
