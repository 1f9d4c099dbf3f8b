"""The trials of a search in a file, one a line, so that a search that was stopped can go on."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import Any, BinaryIO, Literal

from shoal import __version__
from shoal.errors import PlanError, WriteError
from shoal.measure.options import MeasureOptions
from shoal.search.trial import Trial
from shoal.write import refuse_unwritable
from shoal.write.atomic import reason_of

__all__ = ["TrialLog", "is_trial_log", "what_it_is_for"]

_FORMAT = "shoal.trials/5"
# Options with their defaults.
_SILENT = {
    "missing": "error",
    "standardize": "True",
    "repair": "False",
    "diversity": "None",
    "closeness": "None",
    "bounds": "False",
    "utility": "probabilistic_information_loss",
}
_OTHER = {
    "input": "another input, or one that has changed since",
    "settings": "other columns, roles, rules, recodes to try or another seed",
    "options": "measures with other options",
    "shoal": "another version of shoal",
}


def what_it_is_for(fingerprint: str, settings: Mapping[str, Any], options: MeasureOptions, seed: int) -> dict[str, str]:
    """Return the head of a log: digests of the input, of what all trials share and of the options of measures."""
    stated = {name: _plain(value) for name, value in settings.items()}
    shared = json.dumps([_plain({name: one for name, one in stated.items() if one != _SILENT.get(name, [])}), seed])
    return {
        "format": _FORMAT,
        "input": sha256(f"input of a search {fingerprint}".encode()).hexdigest(),
        "settings": sha256(f"settings of a search {fingerprint} {shared}".encode()).hexdigest(),
        "options": sha256(f"options of measures {fingerprint} {json.dumps(_plain(options))}".encode()).hexdigest(),
        "shoal": __version__,
    }


def _plain(value: Any) -> Any:
    """Return options as texts and lists, so that the same ones always look the same."""
    if isinstance(value, Mapping):
        return sorted([str(key), _plain(one)] for key, one in value.items())
    if isinstance(value, Iterable) and not isinstance(value, str):
        return [_plain(one) for one in value]
    return [] if value is None else str(value)


def _open_for_owner(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def is_trial_log(path: str | os.PathLike[str]) -> bool:
    """Whether there is a file of trials."""
    try:
        with Path(path).open(encoding="utf-8") as lines:
            return _FORMAT in lines.readline()
    except (OSError, UnicodeDecodeError):
        return False


class TrialLog:
    """A file of trials: settings and measures, and nothing else of the data.

    It is made with the first trial, so that a search that fails before leaves everything as it was.

    Parameters
    ----------
    path
        Where it is, or will be; its name ends in .jsonl.
    head
        What it is for; a file that is for something else is refused.
    resume
        Whether the trials that are there already are taken over. Otherwise they are moved aside (`moved_to`).
    """

    def __init__(self, path: str | os.PathLike[str], head: Mapping[str, str], *, resume: bool) -> None:
        self._path, self._head = Path(path), head
        self._file: BinaryIO | None = None
        self.trials: list[Trial] = []
        self.moved_to: Path | None = None
        refuse_unwritable(self._path, ".jsonl")
        if not self._path.exists():
            return
        if not resume and not is_trial_log(self._path):
            raise WriteError(f"{self._path} is there and holds no trials. Give another name.")
        self._open("r+b")
        if resume:
            self._read()
        with suppress(OSError):  # the file of a colleague
            self._path.chmod(0o600)  # it may have been made before it was to be read by its owner only
        if not resume:
            self.close()  # no other search writes to it

    def append(self, trial: Trial) -> None:
        """Write one more trial; it is on disk when this returns."""
        if self._file is None:
            self._begin()
        self._write(json.dumps(trial.to_dict(), ensure_ascii=False))

    def close(self) -> None:
        """Let others write to the file."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def _begin(self) -> None:
        if self._path.exists():
            self._open("r+b")  # refused if another search has begun since
            self.moved_to = self._moved_aside()
            self.close()
        self._open("xb")
        self._write(json.dumps(self._head))

    def _moved_aside(self) -> Path:
        """Give the file a name that no other has, and return it."""
        for number in count(1):
            free = self._path.with_suffix(f".{number}{self._path.suffix}")
            try:
                free.hardlink_to(self._path)  # never over another file, as renaming might be
                self._path.unlink()
            except FileExistsError:
                continue
            except OSError as error:
                raise WriteError(f"{self._path} cannot be moved aside: {error.strerror}. Move it yourself.") from None
            return free
        raise AssertionError("there is always another number")

    def _open(self, mode: Literal["r+b", "xb"]) -> None:
        try:
            self._file = open(self._path, mode, opener=_open_for_owner)  # noqa: SIM115
        except OSError as error:
            raise PlanError(f'"{self._path}" cannot be opened: {error.strerror}.') from None
        try:
            import fcntl
        except ImportError:  # Windows, where another search is not noticed
            return
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self.close()
            raise WriteError(f"Another search is writing to {self._path}. Wait for it, or take another file.") from None

    def _write(self, line: str) -> None:
        assert self._file is not None
        try:
            self._file.write(f"{line}\n".encode())
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as error:
            raise WriteError(f"{self._path} was not written: {reason_of(error)}.") from None

    def _read(self) -> None:
        assert self._file is not None
        content = self._file.read()
        whole = content[: content.rfind(b"\n") + 1]  # a line that was cut short is evaluated again
        head, *lines = whole.split(b"\n")[:-1] or [b""]
        self._refuse_other(head)
        for number, line in enumerate(lines, start=1):
            try:
                trial = Trial.from_json(line)
            except (ValueError, RecursionError):
                trial = None
            if trial is None or trial.number != number:
                self.close()
                raise PlanError(
                    f'Line {number + 1} of "{self._path}" is damaged. Take it out with all lines below it: what they '
                    "hold will be evaluated again."
                )
            self.trials.append(trial)
        self._file.seek(len(whole))
        self._file.truncate()

    def _refuse_other(self, head: bytes) -> None:
        """Raise PlanError unless the first line shows that the trials are of this search."""
        try:
            first = json.loads(head)
            found = {part: str(first[part]) for part in self._head}
        except (ValueError, KeyError, TypeError, RecursionError):
            found = {}
        if found.get("format") != _FORMAT:
            self.close()
            raise PlanError(f'"{self._path}" is not a file of trials. Start a new file.')
        for part, other in _OTHER.items():
            if found[part] != self._head[part]:
                self.close()
                raise PlanError(f'The trials in "{self._path}" are of {other}. Start a new file.')
