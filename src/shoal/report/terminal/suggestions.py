"""Suggested rules as the text of a file of rules, to be edited by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from shoal.report.terminal.names import one_line

if TYPE_CHECKING:
    from shoal.edits import SuggestedRule

__all__ = ["suggestions_text"]


def suggestions_text(name: str, suggestions: Sequence[SuggestedRule]) -> str:
    """Return suggested rules, one a line, each with its reason as a comment."""
    file = one_line(name, most=200)
    if not suggestions:
        return f"# No rule was found that every record of {file} keeps and that hardly holds by chance."
    head = [
        f"# Every record of {file} keeps these rules. That does not mean that they are right:",
        "# keep those that are meant, and delete the others.",
    ]
    return "\n".join([*head, *(f"{one.text}  # {one.kind}: {one.why}" for one in suggestions)])
