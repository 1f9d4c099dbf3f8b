"""Ordered categories are compared by their order, never as texts."""

from __future__ import annotations

import pandas as pd
import polars as pl
import pytest
from lxml import etree

import shoal
from shoal.edits import check, parse_rule, schematron_of
from shoal.edits.ordered_categories import common_order, is_within
from shoal.errors import RuleError

LEVELS = ["none", "primary", "secondary", "bachelor"]  # another order than that of the alphabet
CHILD = ["none", "secondary", "bachelor", "primary", "bachelor"]
PARENT = ["primary", "secondary", "primary", "bachelor", "bachelor"]
AGE = [5, 30, 40, 12, 17]

TABLES = {
    "pandas": pd.DataFrame(
        {
            "age": AGE,
            "child": pd.Categorical(CHILD, LEVELS, ordered=True),
            "parent": pd.Categorical(PARENT, LEVELS, ordered=True),
        }
    ),
    "polars": pl.DataFrame(
        {
            "age": AGE,
            "child": pl.Series(CHILD, dtype=pl.Enum(LEVELS)),
            "parent": pl.Series(PARENT, dtype=pl.Enum(LEVELS)),
        }
    ),
}
RULES = {
    "child <= parent": [3],
    "parent >= child": [3],
    "child < parent": [2, 3, 5],
    'child >= "primary"': [1],
    '"secondary" > child': [2, 3, 5],
    'if age < 18 then child <= "secondary"': [5],
    'if parent > "primary" then child <= parent': [],
    "not (child > parent) or age >= 40": [],
    "child == parent": [1, 3, 4],
}


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_categories_are_compared_by_their_order(table):
    for rule, broken in RULES.items():
        assert list(check(table, rule).rules[0].first) == broken, rule


def test_numbers_that_are_categories_have_the_order_of_the_categories():
    frame = pd.DataFrame({"grade": pd.Categorical([1, 2, 5], [5, 2, 1], ordered=True)})  # 1 is the best
    assert check(frame, "grade >= 2").rules[0].first == (3,)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("abc", "abc", "abc"),
        ("ac", "abc", "abc"),
        ("abd", "bcd", "abcd"),
        ("ab", "bc", "abc"),
        ("ab", "cd", None),  # nothing says whether b is before c
        ("abd", "acd", None),
        ("ab", "ba", None),
        ("abc", "cab", None),
    ],
)
def test_two_orders_make_one_if_they_leave_nothing_open(one, other, expected):
    wanted = None if expected is None else tuple(expected)
    assert common_order(one, other) == wanted
    assert common_order(other, one) == wanted


def test_an_order_within_a_longer_one():
    assert is_within("ac", "abc")
    assert is_within("", "abc")
    assert not is_within("ca", "abc")
    assert not is_within("ad", "abc")


@pytest.mark.parametrize(
    ("rule", "error"),
    [
        ('child <= "doctor"', '"doctor" is no category of "child"'),
        ("child <= age", '"age" has no ordered categories'),
        ("child + 1 <= parent", "not with the result of arithmetic"),
        ("xpath: child <= 'secondary'", "compares the ordered categories of child as texts. Write index-of"),
        ("child <= reversed", 'categories of "child" and "reversed" have different orders'),
        ("child <= unordered", '"unordered" has no ordered categories'),
    ],
)
def test_what_has_no_order_is_one_line(rule, error):
    frame = TABLES["pandas"].assign(reversed=pd.Categorical(CHILD, LEVELS[::-1], ordered=True), unordered=CHILD)
    with pytest.raises(RuleError, match=error):
        check(frame, rule)


def test_a_release_that_lost_categories_is_checked_by_the_order_of_the_original():
    frame = TABLES["pandas"]
    few = frame[:1].assign(
        child=pd.Categorical(["none"], ["none"], ordered=True), parent=pd.Categorical(["primary"], ordered=True)
    )
    with pytest.raises(RuleError, match="name the original file"):
        check(few, "child <= parent")
    assert check(few, ["child <= parent", 'child <= "secondary"'], original=frame).holds


def test_a_table_says_the_order_in_schematron_and_it_is_read_back():
    rules = [parse_rule(rule) for rule in RULES]
    with pytest.raises(RuleError, match="If they are ordered categories, name the table"):
        schematron_of(rules)
    written = schematron_of(rules, TABLES["pandas"])
    for rule, element in zip(rules, etree.fromstring(written.encode()).iter("{*}assert"), strict=True):
        read = parse_rule(f"xpath: {element.get('test')}")
        assert parse_rule(read.text) == read
        for table in (*TABLES.values(), TABLES["pandas"].astype({"child": str, "parent": str})):
            assert list(check(table, read).rules[0].first) == RULES[rule.text], rule.text


def test_saxon_says_the_same(tmp_path):
    processor = pytest.importorskip("saxonche").PySaxonProcessor(license=False)
    shoal.write_table(TABLES["pandas"], tmp_path / "table.xml")
    xpath = processor.new_xpath_processor()
    xpath.set_context(xdm_item=processor.parse_xml(xml_text=(tmp_path / "table.xml").read_text(encoding="utf-8")))
    written = schematron_of([parse_rule(rule) for rule in RULES], TABLES["pandas"])
    for element, broken in zip(etree.fromstring(written.encode()).iter("{*}assert"), RULES.values(), strict=True):
        found = xpath.evaluate(f"//Record/boolean({element.get('test')})")
        assert [place + 1 for place in range(5) if not found.item_at(place).boolean_value] == broken


def test_places_in_the_order_of_the_column_are_kept_and_in_another_refused():
    frame = TABLES["pandas"].drop(index=2)
    frame = pd.concat([frame] * 3, ignore_index=True)
    columns = ["age", "child", "parent"]

    def rule(levels):
        listed = ", ".join(f"'{level}'" for level in levels)
        return f"xpath: index-of(({listed}), child) <= index-of(({listed}), parent)"

    assert parse_rule(rule(LEVELS)).kind == "governs"
    data = shoal.protect(frame, 3, columns=columns, edits=[rule(LEVELS)], seed=1).data
    assert check(data, "child <= parent", original=frame).holds
    with pytest.raises(
        RuleError, match=r"compares a and b as texts\. Write number.* or for ordered categories index-of"
    ):
        parse_rule("xpath: a <= b")
