"""Where rules come from: a list of texts, a text file with one a line, or a Schematron file."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path

from shoal.edits.rules import Rule, parse_rule, parse_rules
from shoal.edits.text import MOST_LETTERS
from shoal.errors import RuleError

__all__ = ["read_edits"]

_QUOTED_OR_COMMENT = re.compile(r"""`[^`]*`|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|(?P<comment>#)""")
_LINE_END = re.compile("\r\n?|\n")  # not those that str.splitlines also knows, which may stand in a text
_MOST_BYTES = 5_000_000
_SCHEMATRON = (".sch", ".xml")


def read_edits(source: str | os.PathLike[str] | Iterable[str | Rule]) -> list[Rule]:
    """Read rules.

    Parameters
    ----------
    source
        A list of rules; the path of a Schematron file (.sch, .xml); or the path of a text file with one rule a line,
        where empty lines and what follows a # do not count.
    """
    if not isinstance(source, str | os.PathLike):
        return parse_rules(source)
    path = Path(source)
    if "\0" in str(path):
        raise RuleError("The rules cannot be read: no name of a file has a zero byte in it.")
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise RuleError(f'"{source}" has more than {_MOST_BYTES // 1_000_000} MB, which are no rules.')
        content = path.read_bytes()
    except OSError as error:
        hint = " A rule by itself goes in a list." if re.search("[<>=]", str(source)) else ""
        raise RuleError(f'The rules in "{source}" cannot be read: {error.strerror}.{hint}') from None
    if path.suffix.lower() in _SCHEMATRON:
        from shoal.edits.schematron import read_schematron

        return read_schematron(content, str(source))
    try:
        lines = _LINE_END.split(content.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise RuleError(f'"{source}" is not a text file in UTF-8.') from None
    rules = []
    for number, line in enumerate(lines, start=1):
        text = _without_comment(line).strip()
        if text:
            try:
                rules.append(parse_rule(text))
            except RuleError as error:
                raise RuleError(f'"{source}", line {number}: {error}') from None
    if not rules:
        raise RuleError(f'There is no rule in "{source}". Write one a line, like: net + tax == gross.')
    return rules


def _without_comment(line: str) -> str:
    if len(line) > MOST_LETTERS:  # whose quotes nobody has to match
        return "" if line.lstrip().startswith("#") else line
    for found in _QUOTED_OR_COMMENT.finditer(line):
        if found["comment"]:
            return line[: found.start()]
    return line
