"""What is in the file of a plan: read so that no file takes long or much memory, whoever wrote it, and written."""

from __future__ import annotations

import os
import re
import tomllib
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tomli_w

from shoal.errors import PlanError, nearest_name_hint

if TYPE_CHECKING:
    from pydantic import BaseModel, ValidationError

__all__ = ["FILES", "content_of", "first_problem", "is_as_written", "text_of"]

FILES = ("input", "output", "report")  # the sections that name a file
_HEADER = (
    "# A plan of shoal: run again on the same input, it gives the same release, byte for byte.\n"
    "# Keep it as safe as the input: whoever has the seed and the key can redraw what was drawn at random.\n"
    "# SHA-256 of what follows, by which a plan that was changed by hand is known: {digest}\n\n"
)

_MOST_BYTES = 1 << 24  # a hundred thousand columns
_MOST_BITS = 128  # of a number; a seed that shoal draws has 63
_QUOTED = re.compile(r"""(?<!^Expected )["'].*["']""", re.DOTALL)  # in what the parser says: pieces of the file
# The parser takes time and memory with the square of the parts of a key, and no key of a plan has more than three.
_LONG_KEY = re.compile(r"""(?:^|[\[{,])[ \t]*(?:(?:[\w-]+|"[^"\n]*"|'[^'\n]*')[ \t]*\.[ \t]*){20}""", re.MULTILINE)


def content_of(path: str | os.PathLike[str], what: str = "plan") -> dict[str, Any]:
    """Return what is in a plan, or in a job; PlanError if it is not TOML, or not of a size that one can have."""
    text = _text_at(path, what)
    if _LONG_KEY.search(text):
        raise _refused(path, what, "cannot be read: a key in it has too many parts")
    try:
        parsed = tomllib.loads(text)
    except RecursionError:
        raise _refused(path, what, "cannot be read: it is nested too deeply") from None
    except tomllib.TOMLDecodeError as error:  # its text may quote the file, which may be any
        raise _refused(path, what, f"is not TOML: {_QUOTED.sub('something', str(error))}") from None
    except ValueError:  # Python's own limit
        raise _refused(path, what, "cannot be read: a number in it is too long") from None
    if _has_long_number(parsed):
        raise _refused(path, what, "cannot be read: a number in it is too long")
    return parsed


def is_as_written(path: str | os.PathLike[str]) -> bool:
    """Whether a plan is as `text_of` gave it, by the SHA-256 in it; PlanError if it cannot be read."""
    text = _text_at(path, "plan")
    return text == _with_header(text.partition("\n\n")[2])


def _text_at(path: str | os.PathLike[str], what: str) -> str:
    """Return the text of a plan or a job, its lines ended as on Unix."""
    try:
        with Path(path).open("rb") as file:
            content = file.read(_MOST_BYTES + 1)
    except (OSError, ValueError) as error:  # ValueError: a NUL in its name
        reason = getattr(error, "strerror", None) or "no file can have that name"
        raise _refused(path, what, f"cannot be read: {reason}") from None
    if len(content) > _MOST_BYTES:
        raise _refused(path, what, f"cannot be read: it has more than {_MOST_BYTES:,} bytes")
    try:
        return content.decode().replace("\r\n", "\n")
    except ValueError:
        raise _refused(path, what, "cannot be read: it is not text") from None


def _refused(path: str | os.PathLike[str], what: str, reason: str) -> PlanError:
    return PlanError(f'The {what} "{path}" {reason}.', path=str(path))


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


def text_of(content: dict[str, Any], path: Path) -> str:
    """Return the parts of a plan as it is written to `path`; files it names are written relative to it."""
    for step in (content, *content["before"]):
        step["replace"] = {name: _short(written) for name, written in step["replace"].items()}
    content["before"] = [_without_empty(step) for step in content["before"]]
    for section in FILES:
        if "path" in content.get(section, {}):
            content[section]["path"] = _relative(content[section]["path"], path)
    return _with_header(tomli_w.dumps(_without_empty(content)))


def _with_header(body: str) -> str:
    return _HEADER.format(digest=sha256(body.encode()).hexdigest()) + body


def _short(written: dict[str, Any]) -> Any:
    return written["name"] if set(written) == {"name"} else written


def _without_empty(content: dict[str, Any]) -> dict[str, Any]:
    """Leave out what is empty anyway, so that a plan is short to read; `asked` says that it is known what was asked."""
    kept = {key: _without_empty(value) if isinstance(value, dict) else value for key, value in content.items()}
    return {key: value for key, value in kept.items() if value not in ({}, []) or key == "asked"}


def _relative(path: str, plan: Path) -> str:
    try:
        return Path(os.path.relpath(path, plan.resolve().parent)).as_posix()
    except ValueError:  # another drive
        return path


def first_problem(error: ValidationError, model: type[BaseModel]) -> str:
    """Return the first of the problems that a plan has, in one sentence with its place."""
    first = error.errors(include_url=False, include_input=False)[0]
    places = [str(part) for part in first["loc"]]
    where = ".".join(places)
    if first["type"] == "extra_forbidden":
        return f'there is no key "{where}".{nearest_name_hint(str(first["loc"][-1]), model.model_fields)}'
    if first["type"] == "missing":
        return f'the key "{where}" is missing.'
    message = str(first["msg"]).removeprefix("Value error, ").rstrip(".")
    if places and message.startswith(f"{places[-1]} "):  # as what is outside the limits of an option does
        return ".".join([*places[:-1], f"{message}."])
    return f"{where}: {message}." if where else f"{message}."
