"""The studio's server: FastAPI and Shiny behind the guard, on this machine, until it is told to end."""

from __future__ import annotations

import errno
import inspect
import os
import shutil
import signal
import socket
import threading
import webbrowser
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import uvicorn
from fastapi import FastAPI, Request
from fastapi.responses import FileResponse, JSONResponse, PlainTextResponse, Response
from starlette.background import BackgroundTask
from starlette.requests import ClientDisconnect

from shoal.errors import ParameterError
from shoal.studio.downloads import Downloads, disposition
from shoal.studio.guard import Guard, GuardSettings, is_loopback
from shoal.studio.policy import hashes_of_shiny_scripts
from shoal.studio.private_folder import private_folder
from shoal.studio.uploads import Uploads
from shoal.studio.without_values import errors_without_values

if TYPE_CHECKING:
    import shiny

__all__ = ["MakeApp", "build", "serve"]

MakeApp = Callable[[Path, Uploads, Downloads], "tuple[shiny.App, Callable[[], None]]"]

_SECONDS_TO_END = 2.5  # after which the process ends, whatever a page is doing
_LARGEST_MESSAGE = 4 * 2**20  # bytes that a page may send at once through its WebSocket
_SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
_NO_TELEMETRY = {
    "auto_configure": False,
    "tracing": False,
    "metrics": False,
    "logs": False,
    "operation_spans": False,
}


def build(shiny_app: shiny.App, uploads: Uploads, downloads: Downloads, settings: GuardSettings) -> Guard:
    """Return the whole studio as one ASGI application, the guard around it.

    The pages are at "/", uploads go to "/upload", and what is exported comes from "/download/ID".

    Parameters
    ----------
    shiny_app
        The pages. What an error in them says is not shown, since it may quote the data; raise
        `shiny.types.SafeException` for what the user is to read.
    uploads
        Where uploaded files go.
    downloads
        The files that wait to be sent.
    settings
        The port, the secrets and the limit of uploads.
    """
    shiny_app.sanitize_errors = True
    pages = shiny_app.starlette_app

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async with pages.router.lifespan_context(pages):  # of a mounted application nobody else asks
            yield

    known = inspect.signature(FastAPI.__init__).parameters
    quiet: dict[str, Any] = {"telemetry": _NO_TELEMETRY} if "telemetry" in known else {}
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None, lifespan=lifespan, **quiet)

    @app.post("/upload")
    async def upload(request: Request) -> Response:
        return await _store(request, uploads)

    @app.get("/download/{download}")
    async def download(download: str) -> Response:
        return _send(download, downloads)

    app.mount("/", shiny_app)
    return Guard(app, settings, hashes_of_shiny_scripts())


async def _store(request: Request, uploads: Uploads) -> Response:
    name = request.headers.get("x-file-name")
    if not name:
        return PlainTextResponse("The name of the file is missing: it belongs in X-File-Name.\n", 400)
    try:
        stored = await uploads.store(name, request.stream())
    except ParameterError as error:
        return PlainTextResponse(f"{error}\n", 415, headers={"connection": "close"})
    except ClientDisconnect:
        return Response(status_code=400)  # nobody reads it
    except OSError as error:
        line = "The disk is full." if error.errno == errno.ENOSPC else "The file could not be stored."
        return PlainTextResponse(f"{line}\n", 507, headers={"connection": "close"})
    return JSONResponse({"upload": stored.upload, "name": stored.name, "bytes": stored.bytes})


def _send(download: str, downloads: Downloads) -> Response:
    """Return a file as an attachment, never as a page of the studio, and remove it when it is sent."""
    try:
        taken = downloads.take(download)
    except ParameterError as error:
        return PlainTextResponse(f"{error}\n", 404)
    return FileResponse(
        taken.path,
        media_type="application/octet-stream",
        headers={"content-disposition": disposition(taken.name)},
        background=BackgroundTask(downloads.remove, taken),
    )


def serve(
    make_app: MakeApp,
    *,
    port: int | None = None,
    host: str = "127.0.0.1",
    i_know: bool = False,
    open_browser: bool = True,
    max_upload: int = 500,
    say: Callable[[str], None] = print,
) -> None:
    """Run a studio until Ctrl-C, SIGTERM or SIGHUP, and leave nothing behind.

    Parameters
    ----------
    make_app
        Makes the pages, given a folder for their work, the uploaded files and those that wait to be sent; returns them
        and what closes them.
    port
        The port; by default one that is free.
    host
        The address to listen on; by default this machine's loopback, which no other machine reaches.
    i_know
        Whether an address that other machines reach is wanted.
    open_browser
        Whether to open the studio in the browser.
    max_upload
        The most megabytes that an uploaded file may have.
    say
        Prints a line.
    """
    if not is_loopback(host) and not i_know:
        raise ParameterError(
            f"--host {host} lets other machines reach the studio and the data in it, and what is sent is not "
            "encrypted. Leave --host out, or add --i-know if that is what you want.",
            parameter="host",
        )
    with _listening(host, port) as listener, private_folder() as folder:
        settings = GuardSettings(port=listener.getsockname()[1], host=host, max_upload=max_upload)
        uploads = Uploads(_made(folder / "uploads"))
        downloads = Downloads(folder / "downloads")
        shiny_app, close_app = make_app(_made(folder / "workspace"), uploads, downloads)
        close = _once(close_app)
        try:
            server = _server(build(shiny_app, uploads, downloads, settings))
            with errors_without_values(), _ended_by_signals(server, close, folder):
                say(f"The studio is at {settings.address}?token={settings.token}")
                say("It is yours alone: do not pass this address on. Ctrl-C ends it and removes its files.")
                if open_browser:
                    _open_browser(f"{settings.address}?ticket={settings.ticket}")
                server.run(sockets=[listener])
        finally:
            close()


def _once(close: Callable[[], None]) -> Callable[[], None]:
    """Return a function that closes the pages the first time it is called."""
    taken = threading.Lock()

    def close_once() -> None:
        if taken.acquire(blocking=False):
            close()

    return close_once


def _made(folder: Path) -> Path:
    folder.mkdir(mode=0o700)
    return folder


@contextmanager
def _listening(host: str, port: int | None) -> Iterator[socket.socket]:
    """Listen at a port, or at one that is free; what is bound here cannot be taken before the server starts."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port or 0, type=socket.SOCK_STREAM)[0]
    except OSError:
        raise ParameterError(f"--host {host} is no address of this machine.", parameter="host") from None
    with socket.socket(family, kind, protocol) as listener:
        if os.name == "posix":  # elsewhere it would let two programs listen at once
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(address)
            listener.listen()
        except OSError as error:
            raise ParameterError(_why_not(error, host, port), parameter="port") from None
        yield listener


def _why_not(error: OSError, host: str, port: int | None) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"Port {port} is taken by another program. Choose another with --port, or leave it out."
    if error.errno == errno.EACCES:
        return f"Port {port} needs rights that you do not have. Choose one from 1024, or leave it out."
    return f"--host {host} is no address of this machine."


def _server(app: Guard) -> uvicorn.Server:
    config = uvicorn.Config(
        app,  # type: ignore[arg-type]
        http="h11",
        log_config=None,
        log_level="warning",
        access_log=False,  # addresses hold tokens
        server_header=False,
        proxy_headers=False,
        ws_max_size=_LARGEST_MESSAGE,
        ws_per_message_deflate=False,  # nothing is gained on one machine
        timeout_graceful_shutdown=1,
        lifespan="on",
    )
    server = uvicorn.Server(config)
    server.capture_signals = nullcontext  # type: ignore[method-assign, assignment]  # they are captured below, SIGHUP too
    return server


@contextmanager
def _ended_by_signals(server: uvicorn.Server, close: Callable[[], None], folder: Path) -> Iterator[None]:
    """Let Ctrl-C, SIGTERM and SIGHUP end the server in order, and in any case soon.

    A page that computes keeps the server from ending, and a thread keeps the process: after some seconds the process
    ends without them.
    """

    def end_now() -> None:
        with suppress(Exception):
            close()
        shutil.rmtree(folder, ignore_errors=True)
        os._exit(0)

    def end(number: int, frame: Any) -> None:
        if server.should_exit:
            server.force_exit = True
            return
        server.should_exit = True
        watch = threading.Timer(_SECONDS_TO_END, end_now)
        watch.daemon = True
        watch.start()

    if threading.current_thread() is not threading.main_thread():  # where Python does not let signals be handled
        yield
        return
    before = {one: signal.getsignal(one) for one in _SIGNALS}
    for one, handler in before.items():
        if handler is not signal.SIG_IGN:  # as under nohup
            signal.signal(one, end)
    try:
        yield
    finally:
        for one, handler in before.items():
            if handler is not None:  # None: not set by Python
                signal.signal(one, signal.SIG_IGN if server.should_exit else handler)


def _open_browser(address: str) -> None:
    """Open an address in the browser, if there is one; its answer is not waited for."""

    def open_it() -> None:
        with suppress(Exception):
            webbrowser.open(address)

    threading.Thread(target=open_it, daemon=True).start()
