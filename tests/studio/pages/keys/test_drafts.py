"""What stands in the form of a recode and what is decided say the same."""

from __future__ import annotations

import pytest

from shoal.errors import ShoalError
from shoal.recode.catalogue import build_recode
from shoal.studio.pages.keys.drafts import RecodeDraft, draft_of, is_one_of_the_forms, recode_of
from shoal.studio.tasks.recoding import Ways

AGES = Ways(("bands", "top-bottom", "round", "merge"), least=19, greatest=94, step=1)
TOWNS = Ways(("merge",), most_rare=20)


@pytest.mark.parametrize(
    "decided",
    [
        "bands:width=5",
        "bands:width=2.5,top=85,bottom=20",
        "top-bottom:top=80,value=limit",
        "top-bottom:bottom=20,value=text",
        "round:to=1000",
        "merge:rare=20,into=other",
        "merge:north=[a,b],south=[c,d]",
        "merge:x=[a,b],rare=5,into=rest",
        "date-part:part=month",
        {"name": "merge", "groups": {"x, y": ["a,b", "[c]"]}},
    ],
)
def test_a_decided_recode_comes_out_of_its_form_as_it_went_in(decided):
    written = build_recode(decided).written()
    again = recode_of(draft_of(decided, written["name"], AGES))
    assert build_recode(again).written() == written
    assert isinstance(again, str) == isinstance(decided, str)


@pytest.mark.parametrize("way", AGES.ways[:3])
def test_a_form_begins_with_a_recode_that_can_be_used(way):
    recode = recode_of(draft_of(None, way, AGES))
    assert build_recode(recode).name == way
    assert recode_of(draft_of(None, "bands", AGES)) == "bands:width=10"


def test_a_form_that_asks_for_nothing_is_no_recode():
    assert recode_of(draft_of(None, "merge", TOWNS)) is None
    assert recode_of(draft_of(None, "merge", TOWNS).with_field("rare", "1")) is None
    assert recode_of(draft_of(None, "merge", TOWNS).with_chosen("a", True)) is None  # one is not merged with anything
    assert recode_of(draft_of(None, "top-bottom", AGES).with_field("top", "")) is None


def test_chosen_categories_become_one_and_merged_ones_are_merged_further():
    draft = draft_of(None, "merge", TOWNS).with_chosen("a", True).with_chosen("b", True).with_chosen("c", True)
    assert recode_of(draft.with_chosen("b", False).with_field("into", "north")) == "merge:north=[a,c]"
    further = draft_of("merge:north=[a,c]", "merge", TOWNS).with_chosen("north", True).with_chosen("d", True)
    assert recode_of(further.with_field("into", "all")) == "merge:all=[a,c,d]"
    assert recode_of(further.with_field("into", "north")) == "merge:north=[a,c,d]"
    joined = draft_of("merge:north=[a,c]", "merge", TOWNS).with_chosen("d", True).with_field("into", "north")
    assert recode_of(joined) == "merge:north=[a,c,d]"


@pytest.mark.parametrize("text", ["wide", "0", "-3"])
def test_what_is_no_width_is_refused_in_words(text):
    with pytest.raises(ShoalError, match="width"):
        recode_of(RecodeDraft("bands", {"width": text}))


@pytest.mark.parametrize(
    ("decided", "has_form"),
    [
        ("bands:width=5", True),
        (["bands:width=5"], True),
        (["bands:width=5", "merge:rare=5"], False),
        ({"name": "bands", "breaks": [0, 15, 65]}, False),
    ],
)
def test_recodes_without_a_form_are_known(decided, has_form):
    assert is_one_of_the_forms(decided) == has_form
