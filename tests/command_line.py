"""Runs the command line as a user does, in this process or in one of its own."""

from __future__ import annotations

import gc
import io
import shlex
import subprocess
import sys
import warnings
from contextlib import chdir, nullcontext, redirect_stderr, redirect_stdout
from unittest import mock

from shoal.__main__ import main

__all__ = ["bash_words", "run_alone", "run_in_bash", "run_shoal"]

Ran = subprocess.CompletedProcess


def run_alone(*arguments: object, cwd: object = None) -> Ran:
    """Run ``python -m shoal`` in a process of its own, which takes two seconds to start."""
    command = [sys.executable, "-m", "shoal", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, timeout=120, check=False)


def run_in_bash(line: str, cwd: object) -> Ran:
    """Run a line with ``shoal`` in it as bash does."""
    shoal = f'shoal() {{ {shlex.quote(sys.executable)} -m shoal "$@"; }}\n'
    command = ["bash", "-c", shoal + line]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, timeout=300, check=False)


def bash_words(line: str) -> list[str]:
    """Return the words that bash makes of a line, whatever language it is set to."""
    command = ["bash", "-c", f"printf '%s\\0' {line}"]
    told = subprocess.run(command, capture_output=True, check=True, env={"LC_ALL": "C"}, timeout=60)
    return told.stdout.decode().split("\0")[:-1]


def run_shoal(*arguments: object, cwd: object = None) -> Ran:
    """Run the same entry point in this process: what it prints, and its exit code."""
    out, err, code = io.StringIO(), io.StringIO(), 0
    command = ["shoal", *map(str, arguments)]
    threshold = gc.get_threshold()
    with (
        mock.patch.object(sys, "argv", command),
        nullcontext() if cwd is None else chdir(cwd),
        redirect_stdout(out),
        redirect_stderr(err),
        warnings.catch_warnings(),
    ):
        warnings.resetwarnings()  # pytest turns shoal's warnings into errors; a user does not
        try:
            main()
        except SystemExit as stop:
            code = stop.code if isinstance(stop.code, int) else 0
        finally:
            gc.set_threshold(*threshold)
            gc.unfreeze()
    return subprocess.CompletedProcess(command, code, out.getvalue(), err.getvalue())
