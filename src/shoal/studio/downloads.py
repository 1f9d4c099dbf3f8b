"""Files that the studio hands to a page: each is sent once, under a name that is safe, and removed then."""

from __future__ import annotations

import secrets
import shutil
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from shoal.errors import ParameterError

__all__ = ["Download", "Downloads", "disposition", "safe_name"]

_NOT_IN_NAMES = frozenset("<>:\"/\\|?*$`!%'")  # which one system or another does not take, or a shell changes
_LONGEST = 150  # bytes of a name, in which every system has room for an ending too


@dataclass(frozen=True)
class Download:
    """A file that waits to be sent: where it is, and what the browser is to call it."""

    path: Path
    name: str


class Downloads:
    """The files that wait to be sent, each found by the id that its page was given.

    Parameters
    ----------
    folder
        A folder for them, which only its owner can enter; it is made if it is not there.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._folder.mkdir(mode=0o700, exist_ok=True)
        self._waiting: dict[str, Download] = {}

    def new_folder(self) -> Path:
        """Return a new folder to write files to; those that are not offered have to be removed by who wrote them."""
        folder = self._folder / secrets.token_hex(16)
        folder.mkdir(mode=0o700)
        return folder

    def offer(self, path: Path) -> str:
        """Let a file in a folder of `new_folder` be sent, under its own name, once; return the id it is asked by.

        Whatever else is in that folder is removed with it.
        """
        download = secrets.token_hex(16)
        self._waiting[download] = Download(path, path.name)
        return download

    def take(self, download: str) -> Download:
        """Return a file to send it; it cannot be taken again."""
        if download not in self._waiting:
            raise ParameterError("The studio no longer has that file. Export it again.")
        return self._waiting.pop(download)

    def remove(self, download: Download) -> None:
        """Remove a file that was sent."""
        shutil.rmtree(download.path.parent, ignore_errors=True)

    def clear(self) -> None:
        """Remove all files that wait: they are of a file that is no longer open."""
        while self._waiting:
            self.remove(self._waiting.popitem()[1])


def disposition(name: str) -> str:
    """Return a Content-Disposition (RFC 6266) that saves a file under a name, in any letters (RFC 5987)."""
    plain = "".join(letter if letter.isascii() and letter.isprintable() else "_" for letter in name)
    plain = plain.replace("\\", "_").replace('"', "_")
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}"


def safe_name(text: str) -> str:
    """Return a text as the beginning of a file name that every system takes, and no command takes for an option."""
    kept = "".join("_" if letter in _NOT_IN_NAMES or not letter.isprintable() else letter for letter in text)
    short = kept.encode("utf-8", "replace")[:_LONGEST].decode("utf-8", "ignore")
    return short.lstrip(".-~ ").rstrip(". ") or "table"
