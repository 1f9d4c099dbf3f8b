"""A choice as text, in written form and as an object, and every way from one to another."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import ParameterError
from shoal.parameters.choices import as_text, build, split_outside_brackets, written_form
from shoal.parameters.limits import Limit, Number, Whole
from shoal.partition import METHODS
from shoal.replace import REPLACEMENTS


class Plain:
    name = "plain"
    limits: ClassVar[Mapping[str, Limit]] = {}


class Trimmed:
    """One parameter without a default, one with limits, one of any type."""

    name = "trimmed"
    limits: ClassVar[Mapping[str, Limit]] = {"k": Whole(2), "share": Number(0, 1)}

    def __init__(self, k: int, share: float = 0.1, inner: Any = None):
        self.k, self.share, self.inner = k, share, inner


REGISTRY = {"plain": Plain, "trimmed": Trimmed}


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("plain", {"name": "plain"}),
        (" plain ", {"name": "plain"}),
        ("plain:", {"name": "plain"}),
        ("trimmed:k=3", {"name": "trimmed", "k": 3}),
        ("trimmed: k = 3 , share = .5", {"name": "trimmed", "k": 3, "share": 0.5}),
        ("trimmed:share=5.", {"name": "trimmed", "share": 5.0}),
        ("trimmed:share=-1e-3", {"name": "trimmed", "share": -0.001}),
        ("trimmed:inner=true", {"name": "trimmed", "inner": True}),
        ("trimmed:inner=False", {"name": "trimmed", "inner": False}),
        ("trimmed:inner=two-k", {"name": "trimmed", "inner": "two-k"}),
        ('trimmed:inner="two-k"', {"name": "trimmed", "inner": "two-k"}),
        ("trimmed:inner=[1,2]", {"name": "trimmed", "inner": [1, 2]}),
        ("trimmed:inner=[a,b]", {"name": "trimmed", "inner": ["a", "b"]}),
        ("trimmed:inner=(trimmed:k=2,share=1),k=3", {"name": "trimmed", "inner": "trimmed:k=2,share=1", "k": 3}),
    ],
)
def test_text_becomes_a_name_and_parameters(text, written):
    result = written_form(text, REGISTRY, "method")
    assert result == written
    assert [type(value) for value in result.values()] == [type(value) for value in written.values()]


def test_a_written_form_stays_as_it_is_and_is_not_shared():
    written = {"name": "trimmed", "k": 3}
    result = written_form(written, REGISTRY, "method")
    assert result == written
    assert result is not written


def test_an_object_is_written_with_its_parameters_but_for_those_that_are_none():
    assert written_form(Plain(), REGISTRY, "method") == {"name": "plain"}
    assert written_form(Trimmed(3), REGISTRY, "method") == {"name": "trimmed", "k": 3, "share": 0.1}


def test_numbers_and_arrays_of_numpy_become_those_of_python():
    written = written_form(Trimmed(np.int64(3), np.float64(0.5), np.array([1, 2])), REGISTRY, "method")
    assert written == {"name": "trimmed", "k": 3, "share": 0.5, "inner": [1, 2]}
    assert [type(value) for value in written.values()] == [str, int, float, list]


def test_an_object_within_an_object_becomes_one_line_that_can_be_read():
    written = written_form(Trimmed(3, inner=Trimmed(2, 0.5)), REGISTRY, "method")
    assert written["inner"] == "trimmed:k=2,share=0.5"
    assert written_form(as_text(written), REGISTRY, "method") == written
    inner = build(written_form(written["inner"], REGISTRY, "method"), REGISTRY, "method")
    assert (inner.k, inner.share) == (2, 0.5)


def test_a_parameter_that_a_plan_cannot_hold_is_refused():
    with pytest.raises(ParameterError, match="A plan cannot hold inner of type object"):
        written_form(Trimmed(3, inner=object()), REGISTRY, "method")


@pytest.mark.parametrize("choice", [5, None, ["plain"], object(), Plain])
def test_anything_else_is_refused_with_the_names_that_are_known(choice):
    with pytest.raises(ParameterError, match=r"^method must be a name \(plain, trimmed\)"):
        written_form(choice, REGISTRY, "method")


def test_an_object_of_a_derived_class_is_not_taken_for_its_parent():
    class Derived(Trimmed):
        pass

    with pytest.raises(ParameterError, match="got Derived"):
        written_form(Derived(3), REGISTRY, "method")


def test_build_makes_the_object_with_its_own_and_more_parameters():
    instance = build({"name": "trimmed", "share": 0.5}, REGISTRY, "method", k=4)
    assert type(instance) is Trimmed
    assert (instance.k, instance.share) == (4, 0.5)


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ({"name": "trimed"}, r'There is no method "trimed"\. Did you mean "trimmed"\? Known: plain, trimmed\.'),
        ({}, r'There is no method "None"'),
        ({"name": "trimmed", "k": 3, "shar": 1}, r'method "trimmed" has no parameter "shar"\. Did you mean "share"'),
        ({"name": "trimmed", "q": 1}, r'has no parameter "q"\. It has: k, share, inner\.'),
        ({"name": "plain", "q": 1}, r'method "plain" has no parameter "q"\. It has none\.'),
        ({"name": "trimmed"}, r'method "trimmed" needs more parameters: k\. It has: k, share, inner\.'),
        ({"name": "trimmed", "k": 1}, r"^k must be a whole number, 2 or more; got 1\.$"),
        ({"name": "trimmed", "k": 2, "share": 2}, r"^share must be a number from 0 to 1; got 2\.$"),
    ],
)
def test_build_refuses_unknown_names_unknown_parameters_and_values_outside_the_limits(written, message):
    with pytest.raises(ParameterError, match=message):
        build(written, REGISTRY, "method")


def test_a_parameter_that_is_given_apart_is_not_known_in_the_written_form():
    with pytest.raises(ParameterError, match='has no parameter "k"'):
        build({"name": "trimmed", "k": 3}, REGISTRY, "method", k=4)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", []),
        (" , ", []),
        ("a", ["a"]),
        ("a=1, b=2 ,", ["a=1", "b=2"]),
        ("a=1,b=(c:d=2,e=3)", ["a=1", "b=(c:d=2,e=3)"]),
        ("a=[1,[2,3]],b", ["a=[1,[2,3]]", "b"]),
        ("a),b", ["a)", "b"]),
    ],
)
def test_text_is_split_at_commas_outside_brackets(text, parts):
    assert split_outside_brackets(text) == parts


NOT_WORDS = ("inf", "nan", "true", "false")  # TOML reads them as numbers and truth values
words = st.from_regex(r"[a-z][a-z_-]{0,8}", fullmatch=True).filter(lambda word: word not in NOT_WORDS)
numbers = st.one_of(st.integers(-(2**63), 2**63 - 1), st.floats(allow_nan=False, allow_infinity=False))
values = st.one_of(numbers, words, st.booleans())


@given(name=words, parameters=st.dictionaries(words.filter(lambda word: word != "name"), values, max_size=4))
def test_a_written_form_as_text_is_read_back_the_same(name, parameters):
    written = {"name": name} | parameters
    assert written_form(as_text(written), REGISTRY, "method") == written


@pytest.mark.parametrize("name", METHODS)
def test_every_method_is_its_own_written_form_and_text(name):
    written = written_form(build({"name": name}, METHODS, "method", k=3), METHODS, "method")
    assert written["name"] == name
    again = {key: value for key, value in written.items() if key != "k"}
    assert written_form(build(again, METHODS, "method", k=3), METHODS, "method") == written


REQUIRED = {"order-statistic": {"q": 0.5}, "fuzzy-regression": {"n_clusters": 3}}


@pytest.mark.parametrize("name", REPLACEMENTS)
def test_every_replacement_is_its_own_written_form(name):
    written = written_form(
        build({"name": name} | REQUIRED.get(name, {}), REPLACEMENTS, "replace"), REPLACEMENTS, "replace"
    )
    assert written["name"] == name
    assert written_form(build(written, REPLACEMENTS, "replace"), REPLACEMENTS, "replace") == written
