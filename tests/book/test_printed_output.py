"""What pages say that a command prints is what it prints: on the built-in survey, and on sdcMicro's test file."""

from __future__ import annotations

from itertools import pairwise
from shutil import copyfile

import pytest

from book.pages import ROOT, Example, examples_of
from command_line import run_shoal


def printed(page: str) -> list[tuple[Example, str]]:
    """Return the commands of a page that a block of text follows at once, and that text."""
    examples = examples_of(ROOT / page)
    pairs = pairwise(examples)
    return [(one, two.text) for one, two in pairs if one.language == "command" and two.language in ("", "text")]


def test_readme_shows_what_the_demo_prints(tmp_path):
    [(command, text)] = printed("README.md")
    assert command.text == "make demo"
    assert run_shoal("demo", cwd=tmp_path).stdout.split() == text.split()


@pytest.mark.parametrize("number", [0, 1])
def test_the_page_on_key_risk_shows_what_the_command_prints(number, reference_data, tmp_path):
    command, text = printed("docs/how-to/key-risk.md")[number]
    copyfile(reference_data("testdata.csv"), tmp_path / "testdata.csv")
    assert run_shoal(*command.words[1:], cwd=tmp_path).stdout.split() == text.split()
