"""Which of the rules that were found in the data are offered."""

from __future__ import annotations

import pytest

pytest.importorskip("shiny", reason="needs shiny (the studio extra)")

from shoal.edits import SuggestedRule
from shoal.studio.decisions import Decisions
from shoal.studio.pages.rules.suggestions import offered_rules

FOUND = [
    SuggestedRule(text, "bound", "", 9)
    for text in ("home >= 0", "person >= 0", "net >= 0", "net <= gross", "home < net")
]


def test_rules_about_units_and_identifiers_are_not_offered_and_those_in_use_not_again():
    decisions = Decisions().with_option("unit", "home").with_columns("roles", ["person"], "identifier")
    assert [one.text for one in offered_rules(FOUND, decisions)] == ["net >= 0", "net <= gross"]
    decisions = decisions.with_option("edits", ["net >= 0"])
    assert [one.text for one in offered_rules(FOUND, decisions)] == ["net <= gross"]
    assert offered_rules(FOUND, Decisions()) == FOUND
