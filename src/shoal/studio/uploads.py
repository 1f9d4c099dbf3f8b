"""Files that a page hands to the studio: stored under names of ours, the user's names kept as text only."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

from shoal.errors import ParameterError
from shoal.read.files import FORMATS, ending_of, listed_endings

__all__ = ["Upload", "Uploads", "shown_name"]

_BESIDE = (".toml", ".sch")  # jobs, plans and rules, beside the formats of tables
_LONGEST_NAME = 200
_AT_ONCE = 2**20  # bytes that are written at once, away from the loop that answers the pages


@dataclass(frozen=True)
class Upload:
    """A file that was uploaded: where it is, what its user calls it, and its size."""

    upload: str
    name: str
    path: Path
    bytes: int


class Uploads:
    """The files that pages have uploaded, each found by the id that its page was given.

    Parameters
    ----------
    folder
        A folder for them, which only its owner can enter.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._stored: dict[str, Upload] = {}

    def path_of(self, upload: str) -> Path:
        """Return where a file is."""
        return self._get(upload).path

    def name_of(self, upload: str) -> str:
        """Return what the user calls a file: a text to show, never a path."""
        return self._get(upload).name

    def forget(self, upload: str) -> None:
        """Remove a file."""
        stored = self._get(upload)
        stored.path.unlink(missing_ok=True)
        del self._stored[upload]

    def new_path(self, name: str) -> Path:
        """Return a place for a file of the studio's own, such as the built-in survey; its name says the format."""
        return self._folder / f"own-{secrets.token_hex(16)}{ending_of(Path(name))}"

    async def store(self, name: str, body: AsyncIterator[bytes]) -> Upload:
        """Store what a page sends, or nothing of it if it does not arrive whole.

        Parameters
        ----------
        name
            The user's name of the file, percent-encoded; its ending says the format.
        body
            The bytes of the file.
        """
        shown = shown_name(name)
        ending = ending_of(Path(shown))
        if ending not in (*FORMATS, *_BESIDE):
            raise ParameterError(f"The studio opens files that end in {listed_endings(FORMATS)}.")
        upload = secrets.token_hex(16)
        path = self._folder / f"upload-{upload}{ending}"
        try:
            size = await _write(path, body)
        except BaseException:
            with suppress(OSError):
                path.unlink(missing_ok=True)
            raise
        self._stored[upload] = Upload(upload, shown, path, size)
        return self._stored[upload]

    def _get(self, upload: str) -> Upload:
        if upload not in self._stored:
            raise ParameterError("The studio no longer has that file. Upload it again.")
        return self._stored[upload]


def shown_name(name: str) -> str:
    """Return the last part of a percent-encoded file name as a text to show, of at most 200 letters.

    Control characters and marks that change the direction of writing are removed. A long name keeps its ending.
    """
    text = "".join(letter for letter in unquote(name) if letter.isprintable())
    text = PurePosixPath(text.replace("\\", "/")).name.strip()
    if len(text) <= _LONGEST_NAME:
        return text
    ending = ending_of(Path(text))[-_LONGEST_NAME // 2 :]
    return f"{text[: _LONGEST_NAME - len(ending) - 1]}…{ending}"


async def _write(path: Path, body: AsyncIterator[bytes]) -> int:
    """Write what arrives to a new file, about a megabyte at a time; return how many bytes it has."""
    size, waiting = 0, bytearray()
    with path.open("xb") as file:
        async for part in body:
            size += len(part)
            waiting += part
            if len(waiting) >= _AT_ONCE:
                await asyncio.to_thread(file.write, bytes(waiting))
                waiting.clear()
        await asyncio.to_thread(file.write, bytes(waiting))
    return size
