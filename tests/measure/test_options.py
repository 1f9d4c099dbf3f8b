"""Options of measures reach them in an evaluation, are recorded, and are checked before anything is measured."""

from __future__ import annotations

import dataclasses
import json
from functools import cache

import jsonschema
import numpy as np
import pandas as pd
import pytest

import shoal
from shoal.errors import DisclosureWarning, ParameterError
from shoal.measure import MEASURES, MeasuredValue, evaluation_schema
from shoal.measure.measure import file_measure
from shoal.measure.options import checked_measure_options, options_text
from shoal.parameters.limits import Whole

# Every option that is named in the papers, and what else measures have.
CASES = [
    ("distance_linkage", {"direction": "masked-to-original"}),
    ("distance_linkage", {"ties": "any"}),
    ("distance_linkage", {"ties": "unique"}),
    ("distance_linkage", {"scale": "original"}),
    ("distance_linkage", {"known": ["age", "tax"]}),
    ("distance_linkage", {"known": "subsets"}),
    ("linkage_over_subsets", {"direction": "masked-to-original", "ties": "any", "scale": "original"}),
    ("linkage_over_subsets", {"known": ["tax", "age"]}),
    ("probabilistic_linkage", {"tolerance": 0.3}),
    ("probabilistic_linkage", {"direction": "masked-to-original", "scale": "original", "prior": "estimated"}),
    ("interval_disclosure", {"kind": "sd"}),
    ("interval_disclosure", {"kind": "relative", "width": 5}),
    ("interval_disclosure", {"width": 2.5}),
    ("score", {"weights": "2001"}),
    ("transparency_attack", {"known": 1}),
    ("transparency_attack", {"known": ["age"]}),
    ("transparency_attack", {"level": 2}),
    ("transparency_attack", {"nearest": 3}),
    ("clustering_similarity", {"clusters": 4}),
    ("subdomain_difference", {"by": "region", "least": 5}),
    ("subdomain_difference", {"by": "region", "moments": 4}),
]
by_name = pytest.mark.parametrize(("name", "options"), CASES, ids=lambda value: str(value))
MASKING = {"method": "mdav", "k": 4}


@cache
def release():
    survey = shoal.datasets.households(150, seed=2)[["region", "age", "wage_income", "tax"]]
    with pytest.warns(DisclosureWarning, match="NOT PROTECTED .1.: region"):
        return shoal.protect(survey, 4, as_is="region", seed=1)


@by_name
def test_an_option_gives_what_the_measure_gives(name, options):
    found = release().evaluate(measures=[name], options={name: options})
    more = MASKING if name == "transparency_attack" else {}
    files = release().original.to_native(), release().data
    columns = ["age", "wage_income", "tax"]
    if MEASURES[name].about.side == "risk":  # over everything released
        columns = ["region", *columns]
    direct = MEASURES[name](*files, columns=columns, **options, **more)
    assert found.measured[name] == direct or name == "score"  # of which a part is over everything
    assert direct != MEASURES[name](*files, columns=columns, **more, **({"by": "region"} if "by" in options else {}))


@by_name
def test_all_options_are_in_the_document(name, options):
    found = release().evaluate(measures=[name], options={name: options})
    document = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    jsonschema.validate(document, evaluation_schema())
    assert found.options == {name: options}
    assert document["options"] == {name: {**MEASURES[name].options, **options}}


def test_options_do_not_change_what_is_measured():
    given = {name: options for name, options in CASES if name != "transparency_attack"}
    plain, changed = (release().evaluate(quick=True, options=options) for options in (None, given))
    assert plain.measured.keys() == changed.measured.keys()
    assert plain.left_out == changed.left_out
    assert plain.options == {} and "linkage_over_subsets" not in changed.to_dict()["options"]


def test_the_score_takes_its_parts_with_default_options():
    """It is the same whatever options its parts have as measures of their own, and alone as beside them."""
    options = {"distance_linkage": {"ties": "any"}, "interval_disclosure": {"kind": "sd", "width": 5}}
    plain, changed = (release().evaluate(options=given) for given in (None, options))
    assert changed.distance_linkage != plain.distance_linkage
    assert changed.score == plain.score and changed.score.parts == plain.score.parts
    assert release().evaluate(measures=["score"], options=options).score == plain.score


def test_a_default_that_is_given_is_no_other_option():
    options = {"distance_linkage": {"ties": "expected", "sample": 10_000}, "score": {}}
    found = release().evaluate(measures=["distance_linkage", "score"], options=options)
    assert found == release().evaluate(measures=["distance_linkage", "score"])
    assert found.options == {}


def test_measuring_again_without_columns_keeps_the_options():
    options = {"distance_linkage": {"ties": "any"}}
    found = release().evaluate(measures=["distance_linkage", "sse"], options=options)
    again = found.without(["tax"], ["distance_linkage"])
    files = release().original.to_native(), release().data
    direct = MEASURES["distance_linkage"](*files, columns=["region", "age", "wage_income"], ties="any")
    assert again["distance_linkage"] == direct != found.distance_linkage


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"distance_linkge": {"ties": "any"}}, r'options: There is no measure "distance_linkge"\. Did you mean "dist'),
        ({"distance_linkage": {"tie": "any"}}, r'distance_linkage has no option "tie"\. Did you mean "ties"'),
        ({"sse": {"ties": "any"}}, r'sse has no option "ties"\. It has none'),
        ({"distance_linkage": {"ties": "anny"}}, r'options of distance_linkage: ties must be .*Did you mean "any"'),
        ({"distance_linkage": {"known": ["agee"]}}, r'"agee" is not among the columns .*Did you mean "age"'),
        ({"linkage_over_subsets": {"known": "agee"}}, r'"agee" is not among the columns .*Did you mean "age"'),
        ({"distance_linkage": {"seed": 3}}, "seed is the same for all measures"),
        ({"transparency_attack": {"k": 3}}, "k is the same for all measures"),
        ({"interval_disclosure": {"width": 0}}, "width must be a number above 0"),
        ({"probabilistic_linkage": {"tolerance": -1}}, "tolerance must be a number, 0 or more; got -1"),
        ({"transparency_attack": {"known": 9}}, "known must be a whole number from 1 to 3"),
        ({"transparency_attack": {"known": ["agee"]}}, 'known names "agee"'),
        ({"subdomain_difference": {"by": "regoin"}}, r'by names "regoin".*Did you mean "region"'),
        ({"subdomain_difference": {"by": "age"}}, 'by names "age", which holds numbers'),
        ({"score": {"weights": 2002}}, "weights must be one of"),
        ({"score": "2001"}, "options must give measures their options"),
        ("score", "options must give measures their options"),
    ],
)
def test_what_is_wrong_is_one_line_before_anything_is_measured(options, message, monkeypatch):
    monkeypatch.setattr(MEASURES["sse"], "_in_evaluation", lambda files: pytest.fail("measured"))
    with pytest.raises(ParameterError, match=message) as caught:
        release().evaluate(options=options)
    assert "\n" not in str(caught.value)


def test_a_method_that_cannot_be_repeated_is_refused_before_anything_is_measured(monkeypatch):
    monkeypatch.setattr(MEASURES["sse"], "_in_evaluation", lambda files: pytest.fail("measured"))
    files = release().original, release().masked
    with pytest.raises(ParameterError, match="level=2 masks again"):
        shoal.evaluate(*files, method="k-means", k=4, options={"transparency_attack": {"level": 2}})


@pytest.mark.parametrize("name", [name for name, measure in MEASURES.items() if measure.limits])
def test_every_value_beyond_a_limit_is_refused(name):
    measure = MEASURES[name]
    for option, limit in measure.limits.items():
        if option in measure.options:
            for bad in limit.bad_values():
                with pytest.raises(ParameterError, match=rf"^options of {name}: {option} must be "):
                    checked_measure_options({name: {option: bad}})


def test_every_option_that_is_no_column_has_a_limit():
    free = {
        (name, option)
        for name, measure in MEASURES.items()
        for option in measure.options
        if option not in measure.limits
    }
    about_columns = {("distance_linkage", "known"), ("linkage_over_subsets", "known"), ("transparency_attack", "known")}
    about_columns |= {("attribute_attack", "known"), ("analytical_loss", "targets")}
    assert free == about_columns | {("subdomain_difference", "by")}


@pytest.mark.parametrize("name", ["distance_linkage", "transparency_attack"])
def test_a_column_in_place_of_names_is_refused_without_its_values(name):
    secret = pd.Series([865_560.25] * 3, name="age")
    for given in ({name: {"known": secret}}, {name: {"known": [secret]}}, {name: secret}):
        with pytest.raises(ParameterError) as caught:
            release().evaluate(options=given)
        assert "865" not in str(caught.value) and "\n" not in str(caught.value)


def test_numbers_of_numpy_and_words_of_texts_are_plain_values():
    given = {"distance_linkage": {"sample": np.int64(50), "known": ("age", "tax")}, "score": {"weights": 2001}}
    expected = {"distance_linkage": {"known": ["age", "tax"], "sample": 50}, "score": {"weights": "2001"}}
    assert checked_measure_options(given) == expected
    assert json.dumps(checked_measure_options(given)) == json.dumps(expected)
    assert checked_measure_options({"probabilistic_linkage": {"sample": "none"}}) == {
        "probabilistic_linkage": {"sample": None}
    }


def test_options_as_text_are_those_that_are_typed():
    options = {"distance_linkage": {"direction": "masked-to-original", "ties": "any"}, "score": {"weights": "2001"}}
    assert options_text(options) == "distance_linkage:direction=masked-to-original,ties=any; score:weights=2001"


def test_a_new_measure_needs_to_declare_its_options_once(monkeypatch):
    """The signature of its function and its limits: nothing else knows them."""

    @file_measure(dataclasses.replace(MEASURES["sse"].about, name="largest"), limits={"count": Whole(1)})
    def largest(files, *, count: int = 1) -> MeasuredValue:
        return MeasuredValue(float(count))

    monkeypatch.setitem(MEASURES, "largest", largest)
    found = release().evaluate(measures=["largest"], options={"largest": {"count": 3}})
    assert found.largest == 3 and found.to_dict()["options"] == {"largest": {"count": 3}}
    with pytest.raises(ParameterError, match="options of largest: count must be a whole number, 1 or more; got 0"):
        release().evaluate(options={"largest": {"count": 0}})
