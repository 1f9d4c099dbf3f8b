"""A decision draws the rows of the columns that it is about, and no others."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("shiny", reason="needs shiny (the studio extra)")

from shoal.studio.decisions import Decisions
from shoal.studio.pages.column_roles import decided
from shoal.studio.pages.parts import sending_select, table_row
from shoal.studio.pages.variables.rows import cells_of, row_id, shown_variables
from shoal.studio.tasks.opening import DescribedVariable
from shoal.studio.workspace import OpenedFile


def variable(name: str, role: str = "other", question: str = "", kind: str | None = "continuous") -> DescribedVariable:
    return DescribedVariable(name, "", kind, role, "", question, 5, 0, True)


NAMES = [f"v{number}" for number in range(20)]
FILE = OpenedFile(
    "f.csv",
    Path("f.csv"),
    {},
    10,
    (*map(variable, NAMES), variable("w1", "weight"), variable("w2", "weight"), variable("day", "", "dates", None)),
    Decisions(),
)


def changed(before: Decisions, after: Decisions) -> list[str]:
    pairs = zip(shown_variables(FILE, before), shown_variables(FILE, after), strict=True)
    return [one.variable.name for one, other in pairs if one != other]


@pytest.mark.parametrize(
    ("names", "field", "value"),
    [
        (["v3"], "role", "confidential"),
        (["v3", "v17"], "kind", "nominal"),
        (["v0"], "recode", "bands:width=5"),
        (["v19"], "codes", "-9"),
        (["day"], "kind", "nominal"),
    ],
)
def test_a_decision_changes_what_is_shown_of_its_columns_only(names, field, value):
    after = decided(FILE, Decisions(), names, field, value)[1]
    assert changed(Decisions(), after) == names
    assert changed(after, Decisions()) == names  # undone


def test_a_hint_goes_from_other_columns_too_once_it_is_taken():
    """There is one column of weights: when one is chosen, no other is suggested."""
    after = decided(FILE, Decisions(), ["w1"], "role", "weight")[1]
    assert changed(Decisions(), after) == ["w1", "w2"]


def test_a_row_has_its_id_what_is_decided_and_whether_it_is_chosen():
    decisions = decided(FILE, Decisions(), ["v3"], "role", "key")[1]
    row = str(
        table_row(cells_of("variables-{}".format, 3, shown_variables(FILE, decisions)[3], True), id=row_id(str, 3))
    )
    assert row.startswith('<tr id="row_3">')
    assert '<option value="key" selected="">key variable</option>' in row
    assert row.count("selected") == 2  # and its kind
    assert "checked" in row


def test_options_of_a_select_are_texts_whatever_they_are_called():
    select = str(sending_select("to", "id", "label", {'a"b': "<b>x</b> & y", "other": {"in": "<i>"}}, 'a"b'))
    assert '<option value="a&quot;b" selected="">&lt;b&gt;x&lt;/b&gt; &amp; y</option>' in select
    assert '<option value="in">&lt;i&gt;</option>' in select
