"""The trials of a search in a file, one a line, so that a search that was stopped can go on."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from shoal import __version__
from shoal.errors import PlanError, WriteError
from shoal.read import refuse_unwritable
from shoal.search.trial import Trial

__all__ = ["TrialLog", "is_trial_log", "what_it_is_for"]

_FORMAT = "shoal.trials/1"
_SILENT = {"missing": "error", "standardize": "True", "repair": "False"}  # options that say what is so anyway
_OTHER = {
    "input": "another input, or one that has changed since",
    "settings": "other columns, roles, rules or another seed",
    "shoal": "another version of shoal",
}


def what_it_is_for(fingerprint: str, settings: Mapping[str, Any], seed: int) -> dict[str, str]:
    """Return the head of a log: digests of the input and of what all trials share, which tell neither."""
    said = {name: _plain(value) for name, value in settings.items()}
    shared = json.dumps([_plain({name: one for name, one in said.items() if one != _SILENT.get(name, [])}), seed])
    return {
        "format": _FORMAT,
        "input": sha256(f"input of a search {fingerprint}".encode()).hexdigest(),
        "settings": sha256(f"settings of a search {fingerprint} {shared}".encode()).hexdigest(),
        "shoal": __version__,
    }


def _plain(value: Any) -> Any:
    """Return options as texts and lists, so that the same ones always look the same."""
    if isinstance(value, Mapping):
        return sorted([str(key), _plain(one)] for key, one in value.items())
    if isinstance(value, Iterable) and not isinstance(value, str):
        return [_plain(one) for one in value]
    return [] if value is None else str(value)


def is_trial_log(path: str | os.PathLike[str]) -> bool:
    """Whether there is a file of trials."""
    try:
        with Path(path).open(encoding="utf-8") as lines:
            return _FORMAT in lines.readline()
    except (OSError, UnicodeDecodeError):
        return False


class TrialLog:
    """A file of trials: settings and figures, and nothing else of the data.

    Parameters
    ----------
    path
        Where it is, or will be.
    head
        What it is for; a file that is for something else is refused.
    """

    def __init__(self, path: str | os.PathLike[str], head: Mapping[str, str]) -> None:
        self._path = Path(path)
        refuse_unwritable(self._path, table=False)
        self.trials: list[Trial] = []
        if self._path.exists():
            self._read(head)
        else:
            self._write("x", json.dumps(head))

    def append(self, trial: Trial) -> None:
        """Write one more trial; it is on disk when this returns."""
        self._write("a", json.dumps(trial.to_dict(), ensure_ascii=False))

    def _write(self, mode: str, line: str) -> None:
        try:
            with self._path.open(mode, encoding="utf-8") as file:
                file.write(line + "\n")
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise WriteError(f"{self._path} was not written: {os.strerror(error.errno or 0)}.") from None

    def _read(self, head: Mapping[str, str]) -> None:
        content = self._content()
        whole = content[: content.rfind(b"\n") + 1]  # a line that was cut short is tried again
        no_log = PlanError(f'"{self._path}" is not a file of trials. Start a new file.')
        try:
            first, *lines = [json.loads(line) for line in whole.decode().splitlines()]
            found = {part: str(first[part]) for part in head}
        except (ValueError, KeyError, TypeError):
            raise no_log from None
        for part, other in _OTHER.items():
            if found["format"] == _FORMAT and found[part] != head[part]:
                raise PlanError(f'The trials in "{self._path}" are of {other}. Start a new file.')
        try:
            self.trials = [Trial.from_dict(line) for line in lines]
        except (ValueError, KeyError, TypeError, AttributeError):
            raise no_log from None
        if found["format"] != _FORMAT or [one.number for one in self.trials] != [*range(1, len(self.trials) + 1)]:
            raise no_log
        if len(whole) < len(content):
            with self._path.open("r+b") as file:
                file.truncate(len(whole))

    def _content(self) -> bytes:
        try:
            return self._path.read_bytes()
        except OSError as error:
            raise PlanError(f'"{self._path}" cannot be read: {error.strerror}.') from None
