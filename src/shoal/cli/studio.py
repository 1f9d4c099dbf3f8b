"""The command that opens the studio in the browser."""

from __future__ import annotations

from typing import Annotated

import typer

from shoal.cli.terminal import say

__all__ = ["studio"]


def studio(
    port: Annotated[
        int | None, typer.Option(min=1, max=65535, help="The port to listen on. [one that is free]")
    ] = None,
    host: Annotated[
        str, typer.Option(help="The address to listen on; one that other machines reach needs --i-know.")
    ] = "127.0.0.1",
    i_know: Annotated[
        bool, typer.Option("--i-know", help="Let other machines reach the studio; what is sent is not encrypted.")
    ] = False,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Only print the address.")] = False,
    max_upload: Annotated[int, typer.Option(min=1, help="The most megabytes that an uploaded file may have.")] = 500,
) -> None:
    """Protect a file in the browser, on this machine.

    Prints the address of the studio and opens it.

    The address holds a token, which is needed to get in. Ctrl-C ends the studio and removes its files.
    """
    from shoal.studio.without_values import without_telemetry

    without_telemetry()
    _refuse_without_parts()
    from shoal.studio.app import make_app  # type: ignore[import-not-found]  # the pages
    from shoal.studio.server import serve

    serve(
        make_app,
        port=port,
        host=host,
        i_know=i_know,
        open_browser=not no_browser,
        max_upload=max_upload,
        say=say,
    )


def _refuse_without_parts() -> None:
    from importlib.util import find_spec

    from shoal.errors import ParameterError

    missing = [name for name in ("shiny", "fastapi", "uvicorn") if find_spec(name) is None]
    if missing:
        raise ParameterError(f'The studio needs {" and ".join(missing)}. Install it with pip install "shoal[studio]".')
