"""What a change in the step Variables does to the decisions."""

from __future__ import annotations

from pathlib import Path

import pytest

from shoal.errors import ShoalError
from shoal.studio.decisions import Decisions
from shoal.studio.pages.column_roles import ROLE_CHOICES, ROLE_MEANINGS, decided, role_of, suggested_role, written_codes
from shoal.studio.tasks.opening import DescribedVariable
from shoal.studio.workspace import OpenedFile, open_questions


def variable(name: str, kind: str | None = "continuous", role: str = "other", question: str = "") -> DescribedVariable:
    return DescribedVariable(name, "", kind, role, "", question, 5, 0, kind == "continuous")


FILE = OpenedFile(
    "f.csv",
    Path("f.csv"),
    {},
    10,
    (
        variable("id", "nominal", "unit"),
        variable("age"),
        variable("weight", role="weight"),
        variable("weight2", role="weight"),
        variable("day", None, question="dates or times"),
    ),
    Decisions(),
)


def after(*changes: tuple[list[str], str, str]) -> Decisions:
    decisions = Decisions()
    for names, field, value in changes:
        decisions = decided(FILE, decisions, names, field, value)[1]
    return decisions


def test_every_use_that_can_be_chosen_is_explained():
    assert [*ROLE_MEANINGS] == [*ROLE_CHOICES]


def test_a_kind_a_recode_and_missing_codes_are_options_of_protect():
    decisions = after(
        (["age"], "kind", "ordinal"), (["age"], "recode", "bands:width=5"), (["age"], "codes", "-9, 99.5, refused")
    )
    assert dict(decisions.options) == {
        "kinds": {"age": "ordinal"},
        "recodes": {"age": "bands:width=5"},
        "missing_codes": {"age": [-9, 99.5, "refused"]},
    }
    assert written_codes([-9, 99.5, "refused"]) == "-9, 99.5, refused"
    assert after((["age"], "recode", "bands:width=5"), (["age"], "recode", " ")).options == {}
    assert after((["age"], "codes", "-9"), (["age"], "codes", "")).options == {}


def test_recodes_one_after_the_other_are_a_list():
    assert after((["age"], "recode", "round:to=5; top-bottom:top=85")).options == {
        "recodes": {"age": ["round:to=5", "top-bottom:top=85"]}
    }


def test_a_recode_that_is_none_is_refused():
    with pytest.raises(ShoalError):
        after((["age"], "recode", "bands:breadth=5"))


def test_a_weight_and_a_unit_are_one_column_each():
    decisions = after((["weight"], "role", "weight"), (["weight2"], "role", "weight"), (["id"], "role", "unit"))
    assert dict(decisions.options) == {"weights": "weight2", "unit": "id"}
    assert role_of(decisions, "weight") == ""
    with pytest.raises(ShoalError, match="Only one column can be the weight"):
        after((["weight", "weight2"], "role", "weight"))


def test_another_use_takes_the_place_of_the_one_before():
    decisions = after((["id"], "role", "unit"), (["id"], "role", "as is"), (["id"], "role", "identifier"))
    assert dict(decisions.options) == {"roles": {"id": "identifier"}}


def test_weights_and_strata_are_suggested_until_one_is_taken():
    weight = FILE.variable("weight")
    assert suggested_role(weight, Decisions()) == "weight"
    assert suggested_role(weight, after((["weight"], "role", "weight"))) == ""
    assert suggested_role(weight, after((["weight2"], "role", "weight"))) == ""
    assert suggested_role(weight, after((["weight"], "role", "confidential"))) == ""
    assert suggested_role(FILE.variable("age"), Decisions()) == ""


@pytest.mark.parametrize(
    ("field", "value"), [("kind", "nominal"), ("role", "identifier"), ("role", "as is"), ("recode", "date-part:year")]
)
def test_an_undecided_column_is_decided_by_a_kind_a_use_or_a_recode(field, value):
    assert open_questions(FILE, Decisions()) == {"day": "dates or times"}
    assert open_questions(FILE, after((["day"], field, value))) == {}


def test_the_step_names_a_few_columns_and_how_many_more():
    done, _ = decided(FILE, Decisions(), FILE.names, "kind", "nominal")
    assert done == "id, age, weight and 2 more: nominal"
