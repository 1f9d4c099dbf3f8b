"""A signal that asks the program to end is an exception; one that got lost is remembered."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from shoal import interrupts
from shoal.interrupts import as_exceptions, hold, let_go, received, refuse_after_signal

SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]


@pytest.fixture
def restored(monkeypatch: pytest.MonkeyPatch):
    before = {one: signal.getsignal(one) for one in SIGNALS}
    for one in SIGNALS:  # the tests may run where some are ignored, as under nohup
        signal.signal(one, signal.default_int_handler if one == signal.SIGINT else signal.SIG_DFL)
    monkeypatch.setattr(interrupts, "_received", [])
    monkeypatch.setattr(interrupts, "_holding", [])
    yield
    for one, handler in before.items():
        signal.signal(one, handler)


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_is_an_exception_and_a_second_one_changes_nothing(restored, number):
    with pytest.raises(KeyboardInterrupt), as_exceptions():
        os.kill(os.getpid(), number)
    assert received() == number
    for one in SIGNALS:
        os.kill(os.getpid(), one)


def test_without_a_signal_everything_is_as_before(restored):
    before = [signal.getsignal(one) for one in SIGNALS]
    with as_exceptions():
        assert [signal.getsignal(one) for one in SIGNALS] != before
    assert [signal.getsignal(one) for one in SIGNALS] == before
    refuse_after_signal()


def test_a_signal_that_is_ignored_stays_so(restored):
    """As under nohup."""
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    with as_exceptions():
        os.kill(os.getpid(), signal.SIGHUP)
    assert received() is None


def test_a_signal_waits_while_it_is_held(restored):
    with pytest.raises(KeyboardInterrupt), as_exceptions():
        hold()
        os.kill(os.getpid(), signal.SIGTERM)
        refuse_after_signal()
        let_go()


def run_python(code: str, path: Path) -> subprocess.CompletedProcess[str]:
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path))
    command = [sys.executable, "-c", textwrap.dedent(code), str(path)]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=120)


def test_nothing_takes_the_place_of_a_file_after_a_signal_whose_exception_got_lost(tmp_path):
    target = tmp_path / "t.csv"
    target.write_text("old")
    code = """
        import os, signal, sys
        from shoal.interrupts import as_exceptions
        from shoal.write import replacing
        with as_exceptions(), replacing(sys.argv[1]) as temporary:
            try:
                os.kill(os.getpid(), signal.SIGTERM)
            except KeyboardInterrupt:
                pass  # as a library may
            temporary.write_text("written by a library that was interrupted in between")
        """
    assert run_python(code, target).returncode != 0
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_of_two_files_that_belong_together_both_take_their_place_or_none(tmp_path):
    for name in ("plan", "release"):
        (tmp_path / name).write_text("old")
    code = """
        import os, signal, sys
        from pathlib import Path
        from shoal.interrupts import as_exceptions
        from shoal.write import replacing
        folder = Path(sys.argv[1])
        with as_exceptions(), replacing(folder / "plan") as plan:
            plan.write_text("new")
            with replacing(folder / "release") as release:
                release.write_text("new")
            os.kill(os.getpid(), signal.SIGTERM)  # between the two
        """
    ran = run_python(code, tmp_path)
    assert "KeyboardInterrupt" in ran.stderr
    assert {one.name: one.read_text() for one in tmp_path.iterdir()} == {"plan": "new", "release": "new"}
