"""Where rules come from: texts, a text file with one rule a line, or a Schematron file."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from shoal.edits.rules import Rule, parse_rule, parse_rules
from shoal.edits.text import MOST_LETTERS, shown
from shoal.errors import RuleError

__all__ = ["read_edits", "rules_in"]

_QUOTED_OR_COMMENT = re.compile(r"""`[^`]*`|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|(?P<comment>#)""")
_LINE_END = re.compile("\r\n?|\n")  # not those that str.splitlines also knows, which may stand in a text
_MOST_BYTES = 5_000_000
_SCHEMATRON = (".sch", ".xml")
_ENDINGS = (".txt", *_SCHEMATRON)


def read_edits(source: str | os.PathLike[str] | Rule | Iterable[str | Rule]) -> list[Rule]:
    """Read rules from a list, from a file, or from a single text.

    Parameters
    ----------
    source
        A list of rules, as texts or as `Rule` objects; one rule; or the path of a file. A file that ends in .sch or
        .xml is read as Schematron, any other as text with one rule a line, in which empty lines and what follows a #
        are skipped. A single text is a path if it names a file that exists or ends in .txt, .sch or .xml; otherwise it
        is a rule.

    Returns
    -------
    list of Rule
        The rules in their order.

    Raises
    ------
    RuleError
        A rule or a file cannot be read; the message says which and why.
    """
    if isinstance(source, os.PathLike):
        return _rules_in_file(source)
    if isinstance(source, str):
        return _rules_in_file(source) if _is_path(source) else [_rule_in_text(source)]
    if not isinstance(source, Rule | Iterable):
        raise RuleError(f"Rules are texts, or the path of a file of rules; got {type(source).__name__}.")
    return parse_rules(source)


def rules_in(edits: str | os.PathLike[str] | Rule | Iterable[str | Rule] | None) -> list[Rule]:
    """Read rules as `read_edits` does; None means that there are none."""
    return [] if edits is None else read_edits(edits)


def _is_path(text: str) -> bool:
    """Whether a text is the path of a file of rules, and not a rule."""
    # Not Path.is_file, which raises an error for a rule that is too long for a path.
    return text.lower().endswith(_ENDINGS) or os.path.isfile(text)  # noqa: PTH113


def _rule_in_text(text: str) -> Rule:
    try:
        return parse_rule(text)
    except RuleError as error:
        raise RuleError(f'"{shown(text)}" is neither a file that exists nor a rule. {error}') from None


def _rules_in_file(source: str | os.PathLike[str]) -> list[Rule]:
    path = Path(source)
    content = _content(path)
    if path.suffix.lower() in _SCHEMATRON:
        from shoal.edits.schematron import read_schematron  # for a quick start: lxml and elementpath are slow to import

        return read_schematron(content, str(source))
    try:
        lines = _LINE_END.split(content.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise RuleError(f'"{source}" is not a text file in UTF-8.') from None
    rules = []
    for number, line in enumerate(lines, start=1):
        text = _without_comment(line).strip()
        if text:
            place = f'"{source}", line {number}'
            try:
                rules.append(replace(parse_rule(text), place=place))
            except RuleError as error:  # whose text may be a line of any file, which is not quoted
                raise RuleError(f"{place}: {error.why or 'This is no rule.'}") from None
    if not rules:
        raise RuleError(f'There is no rule in "{source}". Write one rule a line, like: net + tax == gross.')
    return rules


def _content(path: Path) -> bytes:
    """Return the bytes of a file of rules."""
    if "\0" in str(path):
        raise RuleError("The rules cannot be read: the name of their file has a zero byte in it.")
    try:
        if path.is_char_device() or path.is_block_device():  # opening one may do something
            raise RuleError(f'"{path}" is a device, not a file of rules.')
        with path.open("rb") as file:
            content = file.read(_MOST_BYTES + 1)
    except OSError as error:
        is_rule = "" if path.suffix else " A rule goes into a file, one a line; name the file."
        raise RuleError(f'The rules in "{shown(str(path))}" cannot be read: {error.strerror}.{is_rule}') from None
    if len(content) > _MOST_BYTES:
        raise RuleError(f'"{path}" has more than {_MOST_BYTES // 1_000_000} MB, too much for a file of rules.')
    return content


def _without_comment(line: str) -> str:
    if len(line) > MOST_LETTERS:  # too long for a rule, and matching its quotes could take very long
        return "" if line.lstrip().startswith("#") else line
    for quoted_or_comment in _QUOTED_OR_COMMENT.finditer(line):
        if quoted_or_comment["comment"]:
            return line[: quoted_or_comment.start()]
    return line
