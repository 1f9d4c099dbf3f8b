"""Run shoal: `shoal ...` or `python -m shoal ...`."""

from __future__ import annotations

import gc
import os
import sys
import traceback

__all__ = ["main"]


def main() -> None:
    """Run the command line; whatever goes wrong is one line on standard error and an exit code.

    0: done. 1: the data could not be protected, read or written. 2: the command or the plan was wrong.
    """
    gc.set_threshold(100_000)  # what is imported stays: looking through it again and again is a tenth of the start-up
    import typer

    from shoal.errors import ParameterError, ShoalError

    try:
        from shoal.cli.app import app

        code = app(sys.argv[1:] or ["--help"], standalone_mode=False)
        if code == 130:  # what typer makes of an interrupt
            raise KeyboardInterrupt
        gc.freeze()  # nor at the end: the process is over, and its memory goes with it
        sys.exit(code if isinstance(code, int) else 0)
    except ParameterError as error:
        _stop(str(error), 2)
    except ShoalError as error:
        _stop(str(error), 1)
    except (KeyboardInterrupt, typer.Abort):
        _stop("interrupted; no file was left half written.", 130)
    except MemoryError:
        _stop("not enough memory. Protect fewer columns at a time, or cut the file by strata.", 1)
    except Exception as error:
        if hasattr(error, "format_message"):  # typer's word for a command line it does not understand
            _stop(f"{error.format_message().rstrip('.')}. Try shoal --help.", 2)
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
    print("shoal: error: " + " ".join(message.split()), file=sys.stderr)
    sys.exit(code)


if __name__ == "__main__":
    main()
