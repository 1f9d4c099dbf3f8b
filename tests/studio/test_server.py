"""The studio starts with one line, ends with one signal, and leaves nothing behind, however it ends."""

from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from command_line import run_alone, run_shoal
from studio.running import RunningStudio, start_studio, wait_until

websockets = pytest.importorskip("websockets.sync.client", reason="needs websockets (the studio extra)")
pytest.importorskip("shiny", reason="needs shiny (the studio extra)")
from websockets.exceptions import ConnectionClosed  # noqa: E402

pytestmark = pytest.mark.slow  # starts servers

SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]


@pytest.fixture
def start() -> Iterator[Callable[..., RunningStudio]]:
    """Start studios; those that a test has not ended are killed after it."""
    started: list[RunningStudio] = []

    def start_one(*options: object, **environment: dict[str, str]) -> RunningStudio:
        started.append(start_studio(*options, **environment))
        return started[-1]

    yield start_one
    for studio in started:
        studio.process.kill()
        studio.process.wait()


@contextmanager
def open_page(studio: RunningStudio) -> Iterator[object]:
    """Open the WebSocket that a page has open, and wait for its first outputs."""
    headers = {"Cookie": studio.cookie()}
    address = f"ws://{studio.host}/websocket/"
    with websockets.connect(address, origin=studio.origin, additional_headers=headers, compression=None) as page:
        data = {".clientdata_output_doubled_hidden": False, "width": 5}
        data |= {f"{button}:shiny.action": 0 for button in ("fail", "compute")}
        page.send(json.dumps({"method": "init", "data": data}))
        while "doubled: 10" not in page.recv(timeout=30):
            pass
        yield page


def press(page: object, button: str) -> None:
    page.send(json.dumps({"method": "update", "data": {f"{button}:shiny.action": 1}}))


@pytest.mark.parametrize("number", SIGNALS)
def test_one_signal_ends_everything(start, tmp_path, number):
    """Also while a page is open, and with a file that was uploaded."""
    studio = start(tmp_path)
    with open_page(studio), studio.browser() as client:
        assert client.post("/upload", headers={"x-file-name": "a.csv"}, content=b"a\n1\n").status_code == 200
        code, out, err = studio.end(number)
    assert (code, err) == (0, "")
    assert out.splitlines()[-1] == "closed"
    assert list(tmp_path.iterdir()) == []


def test_a_page_that_computes_does_not_keep_the_studio_from_ending(start, tmp_path):
    studio = start(tmp_path)
    with open_page(studio) as page:
        press(page, "compute")
        wait_until((studio.folder / "workspace" / "computing").exists, "the page to compute")
        code, out, _ = studio.end()
    assert code == 0
    assert "closed" in out
    assert list(tmp_path.iterdir()) == []


def test_after_a_studio_was_killed_the_next_start_is_clean(start, tmp_path):
    studio = start(tmp_path)
    with studio.browser() as client:
        client.post("/upload", headers={"x-file-name": "a.csv"}, content=b"confidential")
    studio.end(signal.SIGKILL)
    (left,) = tmp_path.iterdir()
    assert [path.read_bytes() for path in (left / "uploads").iterdir()] == [b"confidential"]
    again = start(tmp_path)
    assert not left.exists()
    again.end()
    assert list(tmp_path.iterdir()) == []


def test_it_prints_one_address_and_nothing_else_of_what_happens(start, tmp_path):
    studio = start(tmp_path)
    with studio.browser() as client:
        client.get("/nowhere")
        client.get("/", headers={"host": "evil.example"})
    with socket.create_connection(("127.0.0.1", studio.port)) as connection:
        connection.sendall(b"nonsense\r\n\r\n")
        connection.recv(100)
    _, out, err = studio.end()
    assert (out, err) == ("closed\n", "")


def test_an_error_in_a_page_is_one_line_without_its_message(start, tmp_path):
    """The message may quote the data. The stand-in raises ValueError("a value of the data")."""
    studio = start(tmp_path)
    said = ""
    with open_page(studio) as page:
        press(page, "fail")
        with pytest.raises(ConnectionClosed):
            while True:
                said += page.recv(timeout=30)
    _, _, err = studio.end()
    assert re.fullmatch(r"shoal: error: internal error, ValueError at stand_in.py:\d+\. Please report it; .*\n", err)
    assert "a value of the data" not in said


def test_the_browser_is_started_with_a_ticket_that_is_good_once(start, tmp_path):
    """The address a program is started with can be seen by every user of the machine."""
    record = tmp_path / "browser"
    record.write_text(f'#!/bin/sh\necho "$1" > {tmp_path}/partial && mv {tmp_path}/partial {tmp_path}/address\n')
    record.chmod(0o700)
    studio = start(tmp_path / "tmp", environment={"BROWSER": f"{record} %s"})
    wait_until((tmp_path / "address").exists, "the browser")
    address = (tmp_path / "address").read_text().strip()
    assert address.startswith(f"{studio.origin}/?ticket=")
    assert studio.token not in address
    with studio.stranger() as client:
        assert client.get(address + "x").status_code == 403
        assert client.get(address).status_code == 303
        assert client.get("/").status_code == 200
    with studio.stranger() as client:
        assert client.get(address).status_code == 403
        assert client.get(studio.address).status_code == 303  # as often as it is needed
    studio.end()


def test_a_port_that_is_taken_is_one_line():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ran = run_stand_in("--port", port)
    assert ran.returncode == 2
    assert ran.stderr == (
        f"shoal: error: Port {port} is taken by another program. Choose another with --port, or leave it out.\n"
    )


def run_stand_in(*options: object) -> subprocess.CompletedProcess[str]:
    """Run a studio that is refused."""
    command = [sys.executable, Path(__file__).with_name("stand_in.py"), "studio", "--no-browser", *map(str, options)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "example.org"])
def test_other_machines_are_let_in_only_by_who_knows(host):
    ran = run_stand_in("--host", host)
    assert ran.returncode == 2
    assert ran.stdout == ""
    assert ran.stderr.count("\n") == 1
    assert "lets other machines reach the studio" in ran.stderr
    assert "--i-know" in ran.stderr


def test_a_host_that_is_not_this_machine_is_one_line():
    ran = run_stand_in("--host", "192.0.2.1", "--i-know")
    assert (ran.returncode, ran.stderr) == (2, "shoal: error: --host 192.0.2.1 is no address of this machine.\n")


def test_with_all_addresses_the_names_of_the_loopback_still_open_it(start, tmp_path):
    studio = start(tmp_path, "--host", "0.0.0.0", "--i-know")
    assert studio.host.startswith("127.0.0.1:")
    with studio.browser() as client:
        assert client.get("/").status_code == 200
        assert client.get("/", headers={"host": "evil.example"}).status_code == 403
    studio.end()


@pytest.mark.parametrize(
    "options", [["--port", 0], ["--port", 70000], ["--port", "x"], ["--max-upload", 0], ["--host", ""], ["--nonsense"]]
)
def test_what_cannot_be_is_refused_in_one_line(options):
    ran = run_stand_in(*options)
    assert ran.returncode == 2
    assert ran.stderr.count("\n") == 1


def test_without_its_parts_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "shiny", None)
    ran = run_shoal("studio")
    assert ran.returncode == 2
    assert ran.stderr == ('shoal: error: The studio needs shiny. Install it with pip install "shoal[studio]".\n')


def test_the_other_commands_do_not_import_its_parts():
    code = "import sys, shoal.cli.app; print({'shiny', 'fastapi', 'uvicorn', 'starlette'} & set(sys.modules))"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "set()\n"


def test_the_help_names_every_option():
    ran = run_alone("studio", "--help")
    assert all(option in ran.stdout for option in ("--port", "--host", "--i-know", "--no-browser", "--max-upload"))


def test_no_library_reports_to_a_server_that_the_environment_names(start, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as collector:
        endpoint = f"http://127.0.0.1:{collector.getsockname()[1]}"
        told = {"OTEL_EXPORTER_OTLP_ENDPOINT": endpoint, "OTEL_TRACES_EXPORTER": "otlp", "SHINY_OTEL_COLLECT": "all"}
        told |= {"FASTAPI_OTEL_AUTO_CONFIGURE": "true", "OTEL_PYTHON_TRACER_PROVIDER": "sdk_tracer_provider"}
        studio = start(tmp_path, environment=told)
        with open_page(studio), studio.browser() as client:
            assert client.get("/").status_code == 200
        assert studio.end()[0] == 0
        collector.settimeout(0.2)
        with pytest.raises(TimeoutError):
            collector.accept()
