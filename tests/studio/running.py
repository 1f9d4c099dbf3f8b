"""A studio in a process of its own, with the pages of `stand_in.py` or its real ones, and what speaks to it."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

__all__ = ["REAL", "RunningStudio", "running_studio", "start_studio", "wait_until"]

STAND_IN = (str(Path(__file__).with_name("stand_in.py")),)
REAL = ("-m", "shoal")


@dataclass
class RunningStudio:
    """Its process, the folder of temporary files it was given, and the address it printed."""

    process: subprocess.Popen[str]
    temporary: Path
    address: str  # with the token

    @property
    def host(self) -> str:
        return re.fullmatch(r"http://([^/]+)/\?token=.+", self.address)[1]

    @property
    def port(self) -> int:
        return int(self.host.rpartition(":")[2])

    @property
    def origin(self) -> str:
        return f"http://{self.host}"

    @property
    def token(self) -> str:
        return self.address.rpartition("=")[2]

    @property
    def folder(self) -> Path:
        (folder,) = self.temporary.glob("shoal-studio-*")
        return folder

    @property
    def children(self) -> set[int]:
        """The numbers of the processes that it has started."""
        tasks = Path(f"/proc/{self.process.pid}/task")
        return {int(one) for file in tasks.glob("*/children") for one in file.read_text().split()}

    def stranger(self) -> httpx.Client:
        """A client without a cookie; what it asks for is of the studio's own origin."""
        return httpx.Client(base_url=self.origin, trust_env=False, timeout=60)

    @contextmanager
    def browser(self) -> Iterator[httpx.Client]:
        """A client that has opened the printed address, and says as a browser does where its requests come from."""
        with self.stranger() as client:
            assert client.get(self.address).status_code == 303
            client.headers["origin"] = self.origin
            yield client

    def cookie(self) -> str:
        with self.browser() as client:
            return "; ".join(f"{name}={value}" for name, value in client.cookies.items())

    def end(self, number: int = signal.SIGINT) -> tuple[int, str, str]:
        self.process.send_signal(number)
        out, err = self.process.communicate(timeout=30)
        return self.process.returncode, out, err


def start_studio(
    temporary: Path, *options: object, environment: dict[str, str] | None = None, program: tuple[str, ...] = STAND_IN
) -> RunningStudio:
    """Start a studio and wait for its address; a browser is started only if the environment names one."""
    temporary.mkdir(exist_ok=True)
    variables = {"TMPDIR": str(temporary), "PYTHONPATH": os.pathsep.join(sys.path), **(environment or {})}
    quiet = [] if "BROWSER" in variables else ["--no-browser"]
    command = [sys.executable, *program, "studio", *quiet, *map(str, options)]
    process = subprocess.Popen(
        command,
        env={**os.environ, **variables},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # As in a terminal, where Ctrl-C is not ignored, whatever runs the tests.
        preexec_fn=lambda: [signal.signal(one, signal.SIG_DFL) for one in (signal.SIGINT, signal.SIGHUP)],
    )
    line = process.stdout.readline()
    process.stdout.readline()  # all that it prints, so that nothing is left in the buffer when it ends
    found = re.search(r"http://\S+", line)
    if found is None:
        process.kill()
        raise AssertionError(f"no address: {line} {process.communicate()[1]}")
    return RunningStudio(process, temporary, found[0])


@contextmanager
def running_studio(temporary: Path, *options: object, program: tuple[str, ...] = STAND_IN) -> Iterator[RunningStudio]:
    """A studio that is ended at the end of the block."""
    studio = start_studio(temporary, *options, program=program)
    try:
        yield studio
    finally:
        studio.process.kill()
        studio.process.communicate()


def wait_until(happened: Callable[[], object], what: str) -> None:
    """Wait for what another process does."""
    for _ in range(600):
        if happened():
            return
        time.sleep(0.05)
    raise AssertionError(f"waited for {what}")
