"""Take the time of writing out of files, so that the same table gives the same bytes tomorrow."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path
from typing import IO, Any

__all__ = ["UndatedZip", "remove_timestamps"]

HEADER = 4096  # bytes; every timestamp below is within them

# Where each format keeps the time, and what is written there instead: the start of 1980, which all of them can hold.
_TIMESTAMPS = {
    ".sav": (re.compile(rb"(?<=^.{92})\d\d [A-Za-z]{3} \d\d\d\d:\d\d:\d\d", re.DOTALL), b"01 Jan 8000:00:00"),
    ".dta": (
        re.compile(rb"(?<=<timestamp>\x11)\d\d [A-Za-z]{3} \d{4} \d\d:\d\d(?=</timestamp>)"),
        b"01 Jan 1980 00:00",
    ),
    ".xpt": (re.compile(rb"\d\d[A-Z]{3}\d\d:\d\d:\d\d:\d\d"), b"01JAN80:00:00:00"),
}
_TIMESTAMPS[".zsav"] = _TIMESTAMPS[".sav"]
XPT_HEADER = 7 * 80  # library and member headers; labels and data come after


def remove_timestamps(path: Path) -> None:
    """Overwrite the time of writing in the header of a .sav, .zsav, .dta or .xpt file."""
    ending = path.suffix.lower()
    pattern, start_of_1980 = _TIMESTAMPS[ending]
    with path.open("r+b") as file:
        head = file.read(XPT_HEADER if ending == ".xpt" else HEADER)
        file.seek(0)
        file.write(pattern.sub(start_of_1980, head))


class UndatedZip(zipfile.ZipFile):
    """A zip archive to write whose entries are all dated at the start of 1980."""

    def writestr(self, zinfo_or_arcname: Any, data: Any, *args: Any, **kwargs: Any) -> None:
        """Add an entry from memory."""
        with self.entry(zinfo_or_arcname) as entry:
            entry.write(data.encode() if isinstance(data, str) else data)

    def entry(self, name: str) -> IO[bytes]:
        """Open a new entry to write to."""
        undated = zipfile.ZipInfo(name)  # dated 1980 by default
        undated.compress_type = zipfile.ZIP_DEFLATED
        return self.open(undated, "w")
