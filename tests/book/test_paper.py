"""The paper cites what is in its list of references, and lists what it cites."""

from __future__ import annotations

import re

from book.pages import ROOT

PAPER = ROOT / "docs" / "paper"


def test_every_reference_is_there_and_is_cited():
    cited = set(re.findall(r"@(\w+)", (PAPER / "paper.md").read_text(encoding="utf-8")))
    listed = re.findall(r"^@\w+\{(\w+),", (PAPER / "paper.bib").read_text(encoding="utf-8"), re.MULTILINE)
    assert cited == set(listed)
    assert len(listed) == len(set(listed))
