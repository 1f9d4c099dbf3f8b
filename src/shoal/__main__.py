"""Run shoal: `shoal ...` or `python -m shoal ...`."""

from __future__ import annotations

import gc
import io
import os
import signal
import sys
import traceback
from contextlib import suppress

from shoal.interrupts import as_exceptions, received

__all__ = ["main"]

_LONGEST = 2000  # letters of a message


def main() -> None:
    """Run the command line; whatever goes wrong is one line on standard error and an exit code.

    0: done. 1: the data could not be protected, read or written. 2: the command or the plan was wrong.
    130, 143, 129: stopped by Ctrl-C, SIGTERM, SIGHUP.
    """
    gc.set_threshold(500_000)  # what is imported stays: looking through it once is a tenth of the start-up
    try:
        with as_exceptions():
            _run()
    except KeyboardInterrupt:
        _stop("interrupted; no file was left half written.", 128 + (received() or signal.SIGINT))


def _run() -> None:
    import typer

    if isinstance(sys.stdout, io.TextIOWrapper):  # an encoding that cannot hold a letter of a name shows its number
        sys.stdout.reconfigure(errors="backslashreplace")
    from shoal.errors import ParameterError, ShoalError

    try:
        from shoal.cli.app import app
        from shoal.cli.terminal import one_line_warnings

        with one_line_warnings():
            code = app(sys.argv[1:] or ["--help"], standalone_mode=False)
        if code == 130:  # what typer makes of an interrupt
            raise KeyboardInterrupt
        gc.freeze()  # nor at the end: the process is over, and its memory goes with it
        sys.exit(code if isinstance(code, int) else 0)
    except ParameterError as error:
        _stop(str(error), 2)
    except ShoalError as error:
        _stop(str(error), 1)
    except typer.Abort:
        raise KeyboardInterrupt from None
    except MemoryError:
        _stop("not enough memory. Protect fewer columns at a time, or cut the file by strata.", 1)
    except Exception as error:
        if hasattr(error, "format_message"):  # typer's word for a command line it does not understand
            message = error.format_message().rstrip(".")
            _stop(f"{message}{'' if message.endswith('?') else '.'} Try shoal --help.", 2)
        if os.environ.get("SHOAL_DEBUG"):
            raise
        # A traceback can show values of the data; the place in the program cannot.
        place = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{os.path.basename(place.filename)}:{place.lineno}"  # noqa: PTH119
        _stop(
            f"internal error, {type(error).__name__} at {where}. Please report it; SHOAL_DEBUG=1 shows the whole "
            "traceback, which may hold values of the data.",
            1,
        )


def _stop(message: str, code: int) -> None:
    from shoal.errors import visible

    line = visible(" ".join(message.splitlines()))
    if len(line) > _LONGEST:  # a name of a million letters, perhaps
        line = f"{line[: _LONGEST // 2]} ... {line[-_LONGEST // 2 :]}"
    with suppress(OSError):  # nobody reads it
        print(f"shoal: error: {line}", file=sys.stderr)
    sys.exit(code)


if __name__ == "__main__":
    main()
