"""Recodes as text, in written form and as objects are the same."""

from __future__ import annotations

import pytest

from shoal.errors import ParameterError
from shoal.recode import RECODES, Bands, DatePart, Merge, Round, TopBottom
from shoal.recode.catalogue import build_recode, written_recodes


@pytest.mark.parametrize(
    ("text", "recode"),
    [
        ("bands:width=5,top=85", Bands(width=5, top=85)),
        ("bands", Bands()),
        ("bands:breaks=[0,15,65]", Bands(breaks=[0, 15, 65])),
        ("top-bottom:top=85,value=mean", TopBottom(top=85, value="mean")),
        ("round:to=100", Round(to=100)),
        ("round:100", Round(to=100)),
        ("date-part:month", DatePart("month")),
        ("merge:other=[a,b],rare=20", Merge({"other": ["a", "b"]}, rare=20)),
        ('merge:no answer=["a, b","c"],9=[1,2]', Merge({"no answer": ["a, b", "c"], 9: [1, 2]})),
        ("merge:rare=20,into=else", Merge(rare=20, into="else")),
    ],
)
def test_text_and_objects_are_the_same(text, recode):
    written = build_recode(recode).written()
    assert build_recode(text).written() == written
    assert build_recode(written).written() == written
    assert written_recodes({"x": text}) == written_recodes({"x": [recode]}) == {"x": [written]}


@pytest.mark.parametrize(
    ("choice", "problem"),
    [
        ("band", 'There is no recode "band".'),
        ("bands:wide=5", 'recode "bands" has no parameter "wide"'),
        (5, "recode must be a name"),
        ({"width": 5}, "There is no recode"),
    ],
)
def test_what_there_is_not_is_refused(choice, problem):
    with pytest.raises(ParameterError, match=problem):
        build_recode(choice)


@pytest.mark.parametrize("recodes", [["bands"], "bands", {"x": []}, 5])
def test_recodes_are_a_mapping_from_columns(recodes):
    with pytest.raises(ParameterError, match="recodes"):
        written_recodes(recodes)


def test_every_recode_says_what_it_does():
    for name, kind in RECODES.items():
        assert kind.name == name and kind.summary[0].islower() and not kind.summary.endswith(".")


@pytest.mark.parametrize(
    ("recode", "parameter"),
    [(DatePart(None), "part"), (Round(None), "to"), (Merge({None: ["a"]}), "groups"), (Merge({"a": [None]}), "groups")],
)
def test_none_is_no_parameter_and_no_category(recode, parameter):
    with pytest.raises(ParameterError, match=f"^{parameter} must be") as refused:
        build_recode(recode)
    assert "\n" not in str(refused.value)
