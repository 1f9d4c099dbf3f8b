"""README and the pages of docs as what a reader would type: Python, commands, jobs and rules, in their order."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

from markdown_it import MarkdownIt

__all__ = ["LANGUAGES", "PAGES", "ROOT", "TEXT", "Example", "examples_of"]

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
PAGES = [page for page in PAGES if "_build" not in page.parts]

SHELL = ("sh", "bash", "console")
TEXT = ("text", "")  # what programs print
# What a fenced block can hold; those in braces belong to Sphinx.
LANGUAGES = {"python", *SHELL, "toml", "xml", "r", "bibtex", "rules", "stata", "csv", *TEXT}


@dataclass(frozen=True)
class Example:
    """Something a reader would type or save: `language` is that of its block, a command line is "command".

    What `cat > NAME << 'END'` saves is a "file", whose text is that line and the lines up to END.
    """

    page: Path
    line: int
    language: str
    text: str
    run: bool = True  # False for blocks that say no-run behind their language
    block: int = 0  # the line of its block: commands of one block have the same
    varies: bool = False  # True for text that says varies behind its language: it differs from run to run

    @property
    def place(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"

    @property
    def words(self) -> list[str]:
        """The words of a command line as a shell passes them on, without what is behind a # or >."""
        words = shlex.split(self.text, comments=True)
        return words[: words.index(">")] if ">" in words else words

    @property
    def saved_as(self) -> str | None:
        """The file that what a command prints is saved as, or that is saved; None if it is not saved."""
        words = shlex.split(self.text.partition("\n")[0], comments=True)
        return words[words.index(">") + 1] if ">" in words else None


def examples_of(page: Path) -> list[Example]:
    """Return the fenced and indented blocks of a page in their order; those of a shell as one example a command."""
    examples = []
    for token in MarkdownIt("commonmark").parse(page.read_text(encoding="utf-8")):
        if token.type not in ("fence", "code_block"):
            continue
        first = token.map[0] + (2 if token.type == "fence" else 1)
        language, *words = token.info.split() or [""]
        if language in SHELL or token.type == "code_block":
            run = "no-run" not in words
            commands = _commands(token.content, "unread" if token.type == "fence" else None)
            examples += [Example(page, first + at, what, text, run, first) for at, what, text in commands]
        else:
            language = "rules" if "rules" in words else language  # for Sphinx they are text
            run, varies = "no-run" not in words, "varies" in words
            examples.append(Example(page, first, language, token.content, run, first, varies))
    return examples


def _commands(block: str, other: str | None) -> list[tuple[int, str, str]]:
    """Return where commands and saved files are in a block, which of the two they are, and their text.

    A command is a line that begins with a program's name, joined with the next where a backslash continues it. What
    `other` names is any other line; None leaves those out.
    """
    joined = re.sub(r"\\\n\s*", lambda found: "\0", block)
    commands, at = [], 0
    lines = iter(joined.split("\n"))
    for line in lines:
        begun = at
        at += 1 + line.count("\0")
        if re.match(r"cat > \S+ << 'END'$", line):
            saved = list(takewhile(lambda one: one != "END", lines))
            at += len(saved) + 1
            commands.append((begun, "file", "\n".join([line, *saved, ""])))
        elif re.match(r"(\$ )?(shoal|python|make|pip|cp)( |$)", line):
            commands.append((begun, "command", line.removeprefix("$ ").replace("\0", " ").strip()))
        elif other is not None and line.strip():
            commands.append((begun, other, line))
    return commands
