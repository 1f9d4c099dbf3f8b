"""Options and paths as they are typed: whatever a column or a file is called, bash and the command line read that."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

__all__ = ["QUOTED", "in_python", "in_quotes", "listed", "typed", "typed_path"]

QUOTED = r"""\$'(?:[^'\\]|\\.)*'|'[^']*'|"[^"]*\""""  # a text as `in_quotes` returns it
_OBEYED = frozenset('"\\$`!')  # by a shell within double quotes
_BARE = re.compile(r"[\w./+:@%][\w./+:@%-]*")


def typed(option: str, *parts: str) -> str:
    """Return an option with its value, parts of which are joined by "=", as it is typed.

    >>> typed("--role", "person id", "identifier")
    '--role "person id=identifier"'
    """
    return f"{option} {in_quotes('='.join(parts))}"


def listed(names: Iterable[str], *, apart: str = "") -> str:
    """Return names between commas, as `of_columns.read_names` reads them; some in double quotes of their own.

    Parameters
    ----------
    names
        The names, or pairs such as "region=within".
    apart
        Signs that stand for something else where the names go, beside the comma.
    """
    return ",".join(_cell(name, apart) for name in names)


def _cell(name: str, apart: str) -> str:
    is_plain = name == name.strip() != "" and not set(f',"\r\n{apart}').intersection(name)
    return name if is_plain else '"{}"'.format(name.replace('"', '""'))


def typed_path(path: str | Path) -> str:
    """Return a path as it is typed, in quotes only where it needs them; one that begins with "-" is no option."""
    text = f"./{path}" if str(path).startswith("-") else str(path)
    return text if _BARE.fullmatch(text) else in_quotes(text)


def in_quotes(text: str) -> str:
    r"""Return a text on one line, in quotes within which bash takes every letter for itself.

    >>> print(in_quotes("net income"), in_quotes("US$"), in_quotes("a\nb"))
    "net income" 'US$' $'a\nb'
    """
    if text.isprintable() and not _OBEYED.intersection(text):
        return f'"{text}"'
    if text.isprintable() and "'" not in text:
        return f"'{text}'"
    return f"$'{''.join(map(_escaped, text))}'"


def _escaped(letter: str) -> str:
    if letter in "'\\":
        return f"\\{letter}"
    if letter.isprintable():
        return letter
    named = {"\n": r"\n", "\t": r"\t", "\r": r"\r"}
    # Bytes, which mean the same whatever language the shell is set to.
    return named.get(letter) or "".join(f"\\x{byte:02x}" for byte in letter.encode("utf-8", "surrogatepass"))


def in_python(text: str) -> str:
    """Return a text as it is written in Python, in double quotes where it can be."""
    written = repr(text)
    return written if '"' in written else f'"{written[1:-1]}"'
