"""What the fields of the step Protect do to the decisions."""

from __future__ import annotations

import pytest

from shoal.errors import ParameterError
from shoal.flow.request import OPTIONS
from shoal.partition import METHODS
from shoal.replace import REPLACEMENTS
from shoal.studio.decisions import Decisions
from shoal.studio.pages.protect.changes import changed_decisions
from shoal.studio.pages.protect.choices import chosen, grouped_choices, parameters_of, usual
from shoal.studio.pages.settings import SETTINGS, as_shown


def after(*messages, decisions=None):
    decisions = decisions or Decisions()
    for message in messages:
        decisions = changed_decisions(decisions, message)[1]
    return decisions


def parameter(name, value, of="mdav", what="method"):
    return {"field": "parameter", "what": what, "of": of, "name": name, "value": value}


def test_k_is_a_whole_number_or_not_set():
    assert after({"field": "k", "value": "5"}).k == 5
    assert after({"field": "k", "value": "5"}, {"field": "k", "value": ""}).k is None
    for bad in ("1", "-3", "2.5", "x"):
        with pytest.raises(ParameterError, match="whole number"):
            after({"field": "k", "value": bad})


def test_parameters_are_written_as_text_and_left_out_at_their_default():
    decisions = after(parameter("variant", "two-k"))
    assert decisions.get("method") == "mdav:variant=two-k"
    decisions = after(parameter("distance", "gower"), decisions=decisions)
    assert decisions.get("method") == "mdav:variant=two-k,distance=gower"
    decisions = after(parameter("variant", "classic"), parameter("distance", ""), decisions=decisions)
    assert decisions.get("method") == "mdav"
    with pytest.raises(ParameterError, match="gamma must be a number, 0 or more"):
        after({"field": "method", "value": "vmdav"}, parameter("gamma", "-1", "vmdav"))
    with pytest.raises(ParameterError, match='has no parameter "k"'):
        after(parameter("k", "7"))


def test_a_parameter_without_a_default_is_asked_for():
    decisions = after({"field": "replace", "value": "order-statistic"})
    (q,) = parameters_of("replace", chosen(decisions, "replace"))
    assert q.is_needed
    decisions = after(parameter("q", "0.25", "order-statistic", "replace"), decisions=decisions)
    assert decisions.get("replace") == "order-statistic:q=0.25"


def test_where_nobody_chose_the_page_says_what_shoal_takes():
    assert usual(Decisions(), "method") == "mdav"
    assert usual(after({"field": "replace", "value": "ipso"}), "method") == REPLACEMENTS["ipso"].default_method
    assert usual(after({"field": "method", "value": "fuzzy"}), "replace") == METHODS["fuzzy"].default_replacement
    assert chosen(Decisions(), "method") is None
    assert after({"field": "method", "value": "md"}, {"field": "method", "value": ""}) == Decisions()


@pytest.mark.parametrize("what, registry", [("method", METHODS), ("replace", REPLACEMENTS)])
def test_every_method_and_replacement_can_be_chosen_once(what, registry):
    listed = [name for group in grouped_choices(what).values() for name in group]
    assert sorted(listed) == sorted(registry)


SET = {
    "missing": ("fill", "fill"),
    "categories": ("suppress", "suppress"),
    "diversity": ("3", 3),
    "closeness": ("0.2", 0.2),
    "dominance": ("80", 80),
    "blocks": ("age, tax; pay", [["age", "tax"], ["pay"]]),
    "decimals": ("pay=2; tax=-1", {"pay": 2, "tax": -1}),
    "seed": ("7", 7),
    "standardize": (False, False),
    "bounds": (True, True),
    "drop_unit": (True, True),
    "repair": (True, True),
}


@pytest.mark.parametrize("setting", [one for one in SETTINGS if one.name != "replace"], ids=lambda one: one.name)
def test_a_setting_is_an_option_of_protect_and_shows_what_was_filled_in(setting):
    written, value = SET[setting.name]
    decisions = after({"field": setting.name, "value": written})
    assert setting.name in OPTIONS
    assert decisions.options == {setting.name: value}
    assert as_shown(decisions, setting) == written
    default = as_shown(Decisions(), setting)
    assert after({"field": setting.name, "value": default}, decisions=decisions) == Decisions()


@pytest.mark.parametrize("option, text", [("seed", "x"), ("decimals", "pay=two"), ("missing", "drop"), ("other", "1")])
def test_what_cannot_be_read_is_refused(option, text):
    with pytest.raises(ParameterError):
        after({"field": option, "value": text})


def test_blocks_can_be_a_number_or_by_rules():
    assert after({"field": "blocks", "value": "3"}).get("blocks") == 3
    assert after({"field": "blocks", "value": "rules"}).get("blocks") == "rules"


def test_strata_are_listed_column_by_column():
    box = {"field": "strata", "column": "region"}
    decisions = after({**box, "value": True}, {"field": "strata", "column": "sex", "value": True})
    assert decisions.get("strata") == ["region", "sex"]
    assert after({**box, "value": False}, decisions=decisions).get("strata") == ["sex"]


def test_replacements_by_column_are_written_in_one_field():
    (field,) = (one for one in SETTINGS if one.name == "replace")
    decisions = after({"field": "by column", "value": " income = median ; size=order-statistic:q=0.25"})
    assert decisions.get("replace") == {"income": "median", "size": "order-statistic:q=0.25"}
    assert as_shown(decisions, field) == "income=median; size=order-statistic:q=0.25"
    assert "replace" not in after({"field": "by column", "value": ""}, decisions=decisions).options
    assert as_shown(after({"field": "replace", "value": "median"}), field) == ""
    assert after({"field": "replace", "value": "median"}, decisions=decisions).get("replace") == "median"
