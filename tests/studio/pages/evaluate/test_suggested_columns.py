"""What the parts of Evaluate begin with."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

pytest.importorskip("shiny", reason="needs shiny (the studio extra)")

from shoal.studio.pages.evaluate.before_after import PARTS, suggested_columns


def column(name: str, kind: str, treatment: str = "mean") -> SimpleNamespace:
    return SimpleNamespace(name=name, kind=kind, treatment=treatment)


def attempt(*columns: SimpleNamespace) -> SimpleNamespace:
    return SimpleNamespace(summary=SimpleNamespace(variables=columns))


def test_numbers_and_categories_come_before_the_new_ids_of_units():
    looked_at = attempt(
        column("home", "continuous", "new ids"),
        column("name", "nominal", "dropped"),
        column("sex", "nominal"),
        column("age", "continuous"),
    )
    assert suggested_columns(looked_at, PARTS["variable"])["variable"] == "age"
    pair = suggested_columns(looked_at, PARTS["pair"])
    assert (pair["one"], pair["other"]) == ("age", "sex")
    table = suggested_columns(looked_at, PARTS["table"])
    assert (table["rows"], table["columns"]) == ("sex", "age")


def test_ids_are_shown_where_there_is_nothing_else():
    assert suggested_columns(attempt(column("home", "continuous", "new ids")), PARTS["variable"])["variable"] == "home"


def test_a_release_of_one_column_has_no_pairs_and_no_tables():
    alone = attempt(column("income", "continuous"))
    assert suggested_columns(alone, PARTS["variable"])["variable"] == "income"
    assert suggested_columns(alone, PARTS["pair"]) == suggested_columns(alone, PARTS["table"]) == {}
    assert suggested_columns(attempt(column("name", "nominal", "dropped")), PARTS["variable"]) == {}
