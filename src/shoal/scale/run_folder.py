"""The folder of a run: what workers leave for each other, beside the place where the release will stand.

Only its owner can read it, and it is removed with the run. Of a run that was interrupted the finished blocks stay, and
nothing else: they hold released values only, and the same run goes on from them, in a folder of its own. What a run
that was killed left behind is removed when the next one begins in the same place, and a release that it had just put
away to make room for its own is put back.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

from shoal.errors import ShoalError, WriteError
from shoal.flow.plan import Plan
from shoal.interrupts import hold, let_go, refuse_after_signal
from shoal.scale.folders_of_runs import folders_of_runs, new_folder, remove_folder
from shoal.write import refuse_unwritable
from shoal.write.atomic import reason_of
from shoal.write.temporary_files import locked

__all__ = ["FINISHED", "RELEASE", "WRITING", "RunFolder", "opened", "put_away", "refuse_output", "refuse_plan"]

FINISHED = "finished"  # where blocks are that are finished
WRITING, RELEASE = "writing", "release"  # parts of the release that are being written, and those that wait for the rest
_ORIGINALS = ("units", "scattered", "shifted")  # folders with original values
_UNFINISHED = (*_ORIGINALS, WRITING, RELEASE)
_OF_BLOCKS = ("masked", "alike", "unchanged", "weighted", "weights", "true", "results")
_LOCK = "lock"
_DECIDED, _PLAN = "decided", "plan.toml"
_BEFORE = "before"  # the release that is replaced, for as long as it takes to put another in its place


class RunFolder:
    """The folder of a run.

    Attributes
    ----------
    path
        Where it is.
    """

    def __init__(self, home: Path) -> None:
        self._home, self.path = home, new_folder(home)

    def make(self, name: str) -> None:
        """Make one of the folders inside, or empty it."""
        self.remove(name)
        (self.path / name).mkdir(mode=0o700)

    def remove(self, name: str) -> None:
        """Remove one of the folders inside."""
        remove_folder(self.path / name)

    def begin(self, decided: Any, plan: Plan) -> Plan:
        """Start a run, or go on with the one that is here if the same was asked for; return the plan to carry out.

        Parameters
        ----------
        decided
            Everything that was asked for, ready for JSON.
        plan
            The plan of a new run. One that goes on has its own, with the seed and the key it began with.
        """
        text = sha256(json.dumps(decided, sort_keys=True).encode()).hexdigest()
        goes_on = False
        with suppress(OSError):
            goes_on = (self._home / _DECIDED).read_text() == text
        earlier = [path for path in folders_of_runs(self._home) if path != self.path]
        if goes_on:
            plan = Plan.from_toml(self._home / _PLAN)
            best = max(earlier, key=_finished_in, default=None)
            if best is not None and _finished_in(best):
                (best / FINISHED).rename(self.path / FINISHED)
        else:
            (self._home / _DECIDED).unlink(missing_ok=True)  # a run that is killed here must not go on with this plan
        for path in earlier:
            remove_folder(path)
        if not goes_on:
            plan.to_toml(self._home / _PLAN)
        for name in ("scattered", "shifted", WRITING, RELEASE):
            self.make(name)
        for name in ("", *_OF_BLOCKS):
            (self.path / FINISHED / name).mkdir(mode=0o700, exist_ok=True)
        (self._home / _DECIDED).write_text(text)
        return plan

    def commit(self, output: Path) -> None:
        """Put the release in its place, all of it at once; what stood there before is gone after that."""
        refuse_after_signal()
        staging, before = self.path / RELEASE, self._home / _BEFORE
        hold()
        try:
            if output.exists():
                output.rename(before)
            try:
                staging.chmod(0o777 & ~_umask())
                staging.rename(output)
            except OSError as error:
                if before.exists():
                    before.rename(output)
                raise WriteError(f"{output} was not written: {reason_of(error)}.") from None
        finally:
            let_go()
        shutil.rmtree(before, ignore_errors=True)


@contextmanager
def opened(output: Path) -> Iterator[RunFolder]:
    """Give the folder of the run that writes `output`, and tidy it up when the block ends.

    Where the block ends with an error or an interrupt, finished blocks stay for the next run; if there are none,
    nothing does.
    """
    home = _home_of(output)
    _refuse_links(home)
    try:
        home.mkdir(mode=0o700, exist_ok=True)
        home.chmod(0o700)
        lock = os.open(home / _LOCK, os.O_CREAT | os.O_RDWR, 0o600)
    except OSError as error:
        raise WriteError(f"{output} was not written: {reason_of(error)}.") from None
    try:
        if locked(lock) is False:
            raise WriteError(f"{output} is being written by another run. Wait for it, or write elsewhere.")
        try:
            _put_back(home, output)
            _remove_unfinished(home)
            yield RunFolder(home)
        except BaseException as error:
            _remove_unfinished(home)
            if not any(map(_finished_in, folders_of_runs(home))):
                _remove_home(home)
            if isinstance(error, OSError) and not isinstance(error, ShoalError):
                raise WriteError(f"{output} was not written: {reason_of(error)}.") from None
            raise
        _remove_home(home)
    finally:
        os.close(lock)


def _refuse_links(home: Path) -> None:
    """Raise WriteError if there are links where shoal makes none: they came with a job, and would lead it elsewhere."""
    inside = (Path(folder) / name for folder, folders, files in os.walk(home) for name in (*folders, *files))
    if any(path.is_symlink() for path in (home, *inside)):
        raise WriteError(f"{home} is a link or has one in it, which shoal did not make. Remove it, and try again.")


def put_away(output: Path) -> Path | None:
    """Return where the release of that place lies if a run was killed while it was replaced; None where none does."""
    before = _home_of(output) / _BEFORE
    return before if not output.exists() and before.is_dir() else None


def _home_of(output: Path) -> Path:
    """Return what holds the folders of all runs that write there."""
    return output.absolute().with_name(f".{output.name}.shoal-run")  # workers may be in another folder


def _put_back(home: Path, output: Path) -> None:
    """Put back the release that a run had put away when it was killed, if its own had not taken the place."""
    if output.exists():
        remove_folder(home / _BEFORE)
    elif (home / _BEFORE).is_dir():
        (home / _BEFORE).rename(output)


def _remove_unfinished(home: Path) -> None:
    for path in folders_of_runs(home):
        for name in _UNFINISHED:
            remove_folder(path / name)


def _remove_home(home: Path) -> None:
    for path in folders_of_runs(home):
        remove_folder(path)
    if not (home / _BEFORE).exists():  # a release that could not be put back
        shutil.rmtree(home, ignore_errors=True)


def _finished_in(run: Path) -> int:
    """Return how many blocks of a run are finished."""
    with suppress(OSError):
        return sum(1 for _ in (run / FINISHED / "results").glob("*.json"))
    return 0


def refuse_output(output: Path, source: Path) -> None:
    """Raise WriteError if a release cannot be written as a folder there, before any work is done."""
    if output.resolve() == source.resolve() or source.resolve() in output.resolve().parents:
        raise WriteError(f"{output} is the input, or inside it. Write the release elsewhere.")
    if output.resolve() in source.resolve().parents:
        raise WriteError(f"{output} has the input in it. Write the release elsewhere.")
    if output.name in ("", ".."):
        raise WriteError(f"{output} was not written: give the name of a folder, which is made.")
    if not output.parent.is_dir():
        raise WriteError(f"{output} was not written: the folder {output.parent} does not exist.")
    if not os.access(output.parent, os.W_OK):
        raise WriteError(f"{output} was not written: you may not write to the folder {output.parent}.")
    if output.is_symlink() or (output.exists() and not output.is_dir()):
        raise WriteError(f"{output} was not written: it is not a folder.")
    if output.is_dir():
        others = [one.name for one in output.iterdir() if one.suffix != ".parquet"]
        if others:
            raise WriteError(f"{output} holds other files than a release ({len(others):,}). Write to another folder.")


def refuse_plan(plan: Path, output: Path, source: Path) -> None:
    """Raise WriteError if the plan of a release in the folder `output` cannot be written there."""
    if {output.resolve(), source.resolve()} & {plan.resolve(), *plan.resolve().parents}:
        raise WriteError(f"{plan} is in the folder of the input or of the release. Write the plan elsewhere.")
    refuse_unwritable(plan, ".toml")


def _umask() -> int:
    umask = os.umask(0o077)  # it can only be read by setting it
    os.umask(umask)
    return umask
