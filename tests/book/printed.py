"""What programs print, beside the block of a page that shows it."""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["Printed", "shows"]

LEFT_OUT = re.compile(r"^\s*\.\.\.\s*$", re.MULTILINE)  # a line of a page that stands for any number of lines


@dataclass(frozen=True)
class Printed:
    """What the commands of one block, or one block of Python, have printed."""

    out: str = ""
    err: str = ""

    def __add__(self, other: Printed) -> Printed:
        return Printed(self.out + other.out, self.err + other.err)


def shows(text: str, printed: Printed) -> bool:
    """Say whether a block of text has the words that were printed, all of them and in their order.

    Lines may be broken elsewhere. A line "..." stands for lines that the page leaves out. Messages, which a program
    prints beside its output, may be left out, each as a whole.
    """
    parts = [_words(part) for part in LEFT_OUT.split(text)]
    for message in map(_words, printed.err.splitlines()):
        parts = [part.replace(message, " ", 1) for part in parts]
    return re.fullmatch(".+".join(map(re.escape, parts)), _words(printed.out)) is not None


def _words(text: str) -> str:
    """Return the words of a text with one space before, between and behind them."""
    return f" {' '.join(text.split())} ".replace("  ", " ")
