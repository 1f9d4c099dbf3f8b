"""What is in the file of a plan, read so that no file takes long or much memory, whoever wrote it."""

from __future__ import annotations

import os
import re
import tomllib
from pathlib import Path
from typing import Any

from shoal.errors import PlanError

__all__ = ["content_of"]

_MOST_BYTES = 1 << 24  # a hundred thousand columns
_MOST_BITS = 128  # of a number; a seed that shoal draws has 63
# The parser takes time and memory with the square of the parts of a key, and no key of a plan has more than three.
_LONG_KEY = re.compile(r"""(?:^|[\[{,])[ \t]*(?:(?:[\w-]+|"[^"\n]*"|'[^'\n]*')[ \t]*\.[ \t]*){20}""", re.MULTILINE)


def content_of(path: str | os.PathLike[str], what: str = "plan") -> dict[str, Any]:
    """Return what is in a plan, or in a job; PlanError if it is not TOML, or not of a size that one can have."""

    def refused(reason: str) -> PlanError:
        return PlanError(f'The {what} "{path}" {reason}.', path=str(path))

    try:
        with Path(path).open("rb") as file:
            content = file.read(_MOST_BYTES + 1)
    except (OSError, ValueError) as error:  # ValueError: a NUL in its name
        reason = getattr(error, "strerror", None) or "no file can have that name"
        raise refused(f"cannot be read: {reason}") from None
    if len(content) > _MOST_BYTES:
        raise refused(f"cannot be read: it has more than {_MOST_BYTES:,} bytes")
    try:
        text = content.decode()
    except ValueError:
        raise refused("cannot be read: it is not text") from None
    if _LONG_KEY.search(text):
        raise refused("cannot be read: a key in it has too many parts")
    try:
        parsed = tomllib.loads(text.replace("\r\n", "\n"))
    except RecursionError:
        raise refused("cannot be read: it is nested too deeply") from None
    except tomllib.TOMLDecodeError as error:
        raise refused(f"is not TOML: {error}") from None
    except ValueError:  # Python's own limit
        raise refused("cannot be read: a number in it is too long") from None
    if _has_long_number(parsed):
        raise refused("cannot be read: a number in it is too long")
    return parsed


def _has_long_number(content: Any) -> bool:
    """Whether there is an integer of many digits, which Python would not write into a message."""
    ahead = [content]
    while ahead:
        part = ahead.pop()
        if isinstance(part, dict):
            ahead += part.values()
        elif isinstance(part, list):
            ahead += part
        elif isinstance(part, int) and part.bit_length() > _MOST_BITS:
            return True
    return False
