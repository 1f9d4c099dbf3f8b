"""Tests in XPath: what they are read into, what is refused, and what they say of records."""

from __future__ import annotations

from xml.etree import ElementTree

import elementpath
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.edits import Rule, parse_rule
from shoal.edits.checked_records import TableRecords
from shoal.edits.evaluation import holds
from shoal.edits.expressions import (
    Among,
    Arithmetic,
    Conditional,
    Every,
    InOriginal,
    IsInteger,
    Negative,
    Not,
    NumberLiteral,
    Some,
    TermComparison,
    TextLiteral,
    VariableName,
    XPathTest,
)
from shoal.edits.xpath.by_record import holds_by_record
from shoal.edits.xpath.parsing import with_lets
from shoal.edits.xpath.printing import printed_xpath
from shoal.edits.xpath.reading import read_test
from shoal.errors import RuleError
from shoal.progress import listening
from shoal.read import as_table

A, B, C = VariableName("a"), VariableName("b"), VariableName("c")
ONE, TWO = TermComparison(">", A, NumberLiteral(1)), TermComparison("<", B, NumberLiteral(2))

# What tests say -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("test", "expected"),
    [
        ("number(a) > 1", ONE),
        ("fn:number(./a) > 1.0", ONE),
        ("xs:double(child::a) gt 1e0", ONE),
        ("(: a's size :) a(::)> 1", ONE),
        ("a = b", TermComparison("==", A, B)),
        ("number(a) = number(b)", TermComparison("==", A, B)),
        ("a = b or number(a) = number(b)", TermComparison("==", A, B)),
        ("string(a) != 'it''s'", TermComparison("!=", A, TextLiteral("it's"))),
        ('a eq "x"', TermComparison("==", A, TextLiteral("x"))),
        ("a <= -.5", TermComparison("<=", A, Negative(NumberLiteral(0.5)))),
        ("a + b * 2 = c", TermComparison("==", Arithmetic("+", A, Arithmetic("*", B, NumberLiteral(2))), C)),
        ("(a + b) div +c >= 0", TermComparison(">=", Arithmetic("/", Arithmetic("+", A, B), C), NumberLiteral(0))),
        ("-a - b - c = 0", TermComparison("==", Arithmetic("-", Arithmetic("-", Negative(A), B), C), NumberLiteral(0))),
        ("a -b = c", TermComparison("==", Arithmetic("-", A, B), C)),
        ("a-b = 'x'", TermComparison("==", VariableName("a-b"), TextLiteral("x"))),
        ("a = ('car', 'truck')", Among(A, (TextLiteral("car"), TextLiteral("truck")))),
        ("(1, -2) = number(a)", Among(A, (NumberLiteral(1), NumberLiteral(-2)))),
        ("a = ('car')", Among(A, (TextLiteral("car"),))),
        ("a = (string(1), 'x')", Among(A, (NumberLiteral(1), TextLiteral("x")))),
        ("a = ()", Among(A, ())),
        ("a + b = (5)", TermComparison("==", Arithmetic("+", A, B), NumberLiteral(5))),
        ("number(a) = floor(number(a))", IsInteger(A)),
        ("round(a) eq number(a)", IsInteger(A)),
        ("a mod 1 = 0", IsInteger(A)),
        ("0 != number(a) mod 1", Not(IsInteger(A))),
        ("a castable as xs:integer", IsInteger(A)),
        ("exists(index-of($original//Record/a, a))", InOriginal(A)),
        ("empty(index-of($original/Microdata/Record/a, a))", Not(InOriginal(A))),
        ("a = $original/*/Record/a", InOriginal(A)),
        ("a > 1 and b < 2", Every((ONE, TWO))),
        ("a > 1 and b < 2 and c = 3", Every((ONE, TWO, TermComparison("==", C, NumberLiteral(3))))),
        ("(a > 1 and b < 2) and a > 1", Every((Every((ONE, TWO)), ONE))),
        ("a > 1 or b < 2 and a > 1", Some((ONE, Every((TWO, ONE))))),
        ("not(a > 1) or (b < 2)", Some((Not(ONE), TWO))),
        ("if (a > 1) then b < 2 else true()", Conditional(ONE, TWO)),
        ("if (a > 1) then b < 2 else a > 1", Conditional(ONE, TWO, ONE)),
        ("if (a > 1) then true() else b < 2", Conditional(Not(ONE), TWO)),
        ("if (a > 1) then false() else b < 2", Every((Not(ONE), TWO))),
        ("if (a > 1) then b < 2 else false()", Every((ONE, TWO))),
        ("if (a > 1) then false() else true()", Not(ONE)),
        ("if (true()) then a > 1 else b < 2", ONE),
        ("true() and a > 1", ONE),
        ("false() or (not(false()) and a > 1)", ONE),
        ("net_x0020_income = 1", TermComparison("==", VariableName("net income"), NumberLiteral(1))),
        ("वेतन = 1", TermComparison("==", VariableName("वेतन"), NumberLiteral(1))),
        ("and·x = 1", TermComparison("==", VariableName("and·x"), NumberLiteral(1))),
        ("a < 'm'", XPathTest("a < 'm'", ("a",))),
        ("  contains(a,\n 'x  y')", XPathTest("contains(a, 'x  y')", ("a",))),
        ("starts-with(a, 'x') and number(b) < 2", XPathTest("starts-with(a, 'x') and number(b) < 2", ("a", "b"))),
        ("a[. > 1]", XPathTest("a[. > 1]", ("a",))),
        ("some $v in (a, b) satisfies $v > 1", XPathTest("some $v in (a, b) satisfies $v > 1", ("a", "b"))),
        ("matches(a, '^[0-9]{4}$')", XPathTest("matches(a, '^[0-9]{4}$')", ("a",))),
    ],
)
def test_what_is_read(test, expected):
    assert read_test(test) == expected


@pytest.mark.parametrize(
    "name", ["number", "count", "div", "and", "or", "if", "not", "text", "to", "child", "mod", "then"]
)
@pytest.mark.parametrize(
    "test", ["number({0}) > 1", "{0} > 1", "1 < {0}", "not(1 >= {0})", "{0} div 1 > 1 and 1 < {0}"]
)
def test_columns_that_are_called_like_a_sign_or_a_function(name, test):
    assert read_test(test.format(name)) == _renamed(read_test(test.format("other")), name)


def _renamed(part, name):
    if isinstance(part, VariableName):
        return VariableName(name)
    if isinstance(part, tuple):
        return tuple(_renamed(one, name) for one in part)
    if hasattr(part, "__dataclass_fields__"):
        return type(part)(**{key: _renamed(value, name) for key, value in vars(part).items()})
    return part


def test_lets_are_put_in():
    lets = {"limit": "1", "taxed": "number(a)", "file": None, "codes": "'x', 'y'", "lim": "7"}
    assert read_test("$taxed > $limit", lets) == ONE
    assert read_test("a = $ file //Record/a", lets) == InOriginal(A)
    assert read_test("a = $codes", lets) == Among(A, (TextLiteral("x"), TextLiteral("y")))
    assert read_test("a = '$limit'", lets) == TermComparison("==", A, TextLiteral("$limit"))
    assert read_test("a[. > $limit]", lets) == XPathTest("a[. > (1)]", ("a",))
    assert read_test("every $v in (a, b) satisfies $v > $limit", lets).names == ("a", "b")


def test_a_rule_in_xpath_is_written_as_it_is_read():
    rule = parse_rule("xpath: starts-with(a,  'x')")
    assert rule.text == "xpath: starts-with(a, 'x')"
    assert parse_rule(rule.text) == rule
    assert (rule.kind, rule.variables) == ("checked only", ("a",))


# What is refused ----------------------------------------------------------------------------------------------


LONG = [
    pytest.param("a = " + "9" * 400, "too large", id="400 digits"),
    pytest.param("a = " + "9" * 5_000, "is not XPath 2.0", id="5,000 digits"),
    pytest.param("a" * 10_000_000, "letters", id="10 MB"),
    pytest.param("(" * 10_000 + "a = 1" + ")" * 10_000, "letters", id="10,000 brackets"),
    pytest.param("(" * 4_000 + "a = 1" + ")" * 4_000, "more than 100 brackets", id="4,000 brackets"),
    pytest.param("-" * 9_000 + "a = 1", "too deeply", id="signs"),
    pytest.param(" + ".join(["a"] * 2_000) + " = 1", "too deeply", id="a long sum"),
    pytest.param("if (a = 1) then a = 2 else " * 350 + "a = 3", "too deeply", id="many branches"),
    pytest.param(" and ".join(["contains(a, 'x')"] * 200), "too long", id="a long row"),
]


@pytest.mark.parametrize(
    ("test", "why"),
    [
        ("", "is empty"),
        (" \n\t ", "is empty"),
        ("a < b", r"Write number\(a\) < number\(b\)"),
        ("contains(c, 'x') and a ge b", r"Write number\(a\) >= number\(b\)"),
        ("a eq 5", r'because of "eq". Write number\(a\)'),
        ("a != ('x', 'y')", r"Write not\("),
        ("a = 'x' or 'y'", "where a statement should be"),
        ("not(5)", "where a statement should be"),
        ("number(a) = 'x'", "a number with a text"),
        ("number(a) = ('x', 'y')", "a number with a text"),
        ("string(a) = 5", "a number with a text"),
        ("'x' + a = 1", "uses a text in arithmetic"),
        ("true()", "true for every record"),
        ("not(true())", "false for every record"),
        ("'x' < 'y'", "has no variable"),
        ("a = $original//Record/b", "Look in the same column"),
        ("count($original//Record) > number(a)", "uses the original file in a way"),
        ("a = $limit", r"uses \$limit, which no let"),
        ("a = 1;", "is not XPath 2.0"),
        ("a = ", "is not XPath 2.0"),
        ("a = 1 = 2", "is not XPath 2.0"),
        ("a = '", "is not XPath 2.0"),
        ("a = 1 (: so", "comment in it without an end"),
        ("m:a = 1", "without one"),
        ("unheard-of(a) = 1", r"calls unheard-of\(\)"),
        ("doc('/etc/passwd') = a", r"calls doc\(\)"),
        ("fn:doc('/etc/passwd')//a = 1", "shoal does not"),
        ("a = fn:doc('/etc/passwd')", r"calls doc\(\)"),
        ("document('/etc/passwd') = a", r"calls document\(\)"),
        ("doc-available('/etc/passwd') and a = 1", r"calls doc-available\(\)"),
        ("collection('/etc') = a", r"calls collection\(\)"),
        ("unparsed-text('/etc/passwd') = a", r"calls unparsed-text\(\)"),
        ("unparsed-text-lines('/etc/passwd') = a", r"calls unparsed-text-lines\(\)"),
        ("environment-variable('HOME') = a", r"calls environment-variable\(\)"),
        ("trace(a, 'x') = b", r"calls trace\(\)"),
        ("static-base-uri() = a", r"calls static-base-uri\(\)"),
        ("current-date() > xs:date(a)", r"calls current-date\(\)"),
        ("contains(a, 'x', 'http://www.w3.org/2013/collation/UCA')", "with 3 arguments"),
        ("position() = number(a)", r"calls position\(\)"),
        ("replace(replace(a, 'x', 'xxxx'), 'x', 'xxxx') = b", r"calls replace\(\)"),
        ("for $i in 1 to 1000000000 return $i", "take very long"),
        ("exists(for $i in 1 to 1000000000 return $i) and a = 1", "take very long"),
        ("some $x in (a, b), $y in (a, b) satisfies $x = $y", "take very long"),
        ("some $x in (a, b) satisfies some $y in (a, b) satisfies $x = $y", "take very long"),
        ("(1, 2)[(1, 2)[. = 1] = .] = number(a)", "take very long"),
        ("matches(a, '(x+)+y')", "take very long"),
        ("matches(a, 'x?x?x?x?x?x?x?x?x?xxxxxxxxx')", "take very long"),
        ("matches(a, '.*.*.*.*x')", "take very long"),
        ("matches(a, b)", "take very long"),
        ("matches(a, '[')", "cannot be evaluated"),
        ("count(//Record) > number(a)", '"//" in it'),
        ("/Microdata/Record/a = 1", '"/" in it'),
        ("../Record/a = 1", '".." in it'),
        ("preceding-sibling::Record/a = a", '"preceding-sibling" in it'),
        ("sum(*) = 1", '"\\*" in it'),
        ("@id = a", '"@" in it'),
        ("string(.) = a", '"." in it'),
        ("number() = 1", "without an argument"),
        ("a/b = 1", 'looks for "b" within another'),
        ("a[b = 1] = 1", 'looks for "b" within another'),
        ("a instance of element()", '"instance" in it'),
        ("a cast as xs:QName = b", "type that shoal does not read"),
        ("a = 1e999", "too large"),
        *LONG,
    ],
)
def test_what_is_refused_and_why(test, why):
    with pytest.raises(RuleError, match=why) as caught:
        read_test(test)
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 400


def test_lets_do_not_grow_without_end():
    lets = {"x0": "number(a)"}
    with pytest.raises(RuleError, match="letters"):
        for step in range(60):
            lets[f"x{step + 1}"] = with_lets(f"$x{step} + $x{step}", lets)


def test_a_let_that_names_variables_is_not_put_in_brackets():
    with pytest.raises(RuleError, match="within square brackets"):
        read_test("a[. > $other]", {"other": "number(b)"})


def test_long_rules_that_can_be_meant_are_read():
    names = [f"v{one}" for one in range(190)]
    rule = Rule(read_test(" + ".join(f"number({name})" for name in names) + " = number(total)"))
    assert rule.variables == (*names, "total")
    assert rule.kind == "linear"
    assert Rule(read_test(printed_xpath(rule.expression))).text == rule.text
    assert repr(rule)
    rule = Rule(read_test(" and ".join(f"{name} > 0" for name in names)))
    assert len(rule.expression.parts) == 190
    codes = Among(A, tuple(NumberLiteral(float(code)) for code in range(1_500)))
    assert read_test(printed_xpath(codes)) == codes


_WORDS = (
    "a b number( string( not( ( ) [ ] . .. / // * + - div mod = != < >= eq lt and or if then else "
    "some every for $v $original in satisfies return to 'x' \"y\" 1 2.5 1e3 , : :: @ xs:integer "
    "castable as cast (: :) true() floor( index-of( exists( matches( é { } | ;"
)


@settings(max_examples=400, deadline=None)
@given(st.lists(st.sampled_from(_WORDS.split()), max_size=14).map(" ".join))
def test_anything_is_read_or_refused_in_one_line(test):
    try:
        expression = read_test(test)
    except RuleError as error:
        assert "\n" not in str(error)
    else:
        assert read_test(printed_xpath(expression)) == expression
        if isinstance(expression, XPathTest):
            frame = pd.DataFrame({name: [1.0, -0.5, 3.0] for name in expression.names})
            assert holds_by_record(expression, TableRecords(as_table(frame))).shape == (3,)


# Written and read ---------------------------------------------------------------------------------------------

_ODD = [
    "a",
    "net income",
    "and",
    "if",
    "number",
    "a-b",
    "x.y",
    "1st",
    "_x0041_",
    "é",
    "वेतन",
    "and·x",
    "a:b",
    "😀",
    "text",
]


def _terms(variables, numbers, divisors):
    def wider(inner):
        return (
            st.builds(Negative, inner)
            | st.builds(Arithmetic, st.sampled_from("+-*"), inner, inner)
            | st.builds(Arithmetic, st.just("/"), inner, divisors)
        )

    return st.recursive(variables | numbers, wider, max_leaves=5)


def _statements(numeric, textual, numbers, texts, divisors, original=True):
    """Return every expression that makes sense, over columns of numbers and columns of texts."""
    terms = _terms(numeric, numbers, divisors)
    either = numeric | textual
    leaves = [
        st.builds(TermComparison, st.sampled_from(["==", "!=", "<", "<=", ">", ">="]), terms, terms),
        st.builds(TermComparison, st.sampled_from(["==", "!="]), textual, texts | textual),
        st.builds(
            Among,
            numeric,
            st.lists(numbers | numbers.map(lambda one: NumberLiteral(-one.value)), max_size=3).map(tuple),
        ),
        st.builds(Among, either, st.lists(texts, min_size=1, max_size=3).map(tuple)),
        st.builds(Among, textual, st.tuples(numbers, texts)),
        st.builds(IsInteger, numeric),
    ]
    leaf = st.one_of(*leaves, *([st.builds(InOriginal, either)] if original else []))

    def wider(inner):
        several = st.lists(inner, min_size=2, max_size=3).map(tuple)
        return (
            st.builds(Every, several)
            | st.builds(Some, several)
            | st.builds(Not, inner)
            | st.builds(Conditional, inner, inner, st.none() | inner)
        )

    return st.recursive(leaf, wider, max_leaves=5)


_ANY_NUMBER = st.builds(NumberLiteral, st.floats(0, 1e300) | st.integers(0, 10**6).map(float))
_ANY_TEXT = st.builds(TextLiteral, st.text(st.characters(exclude_categories=["Cs"]), max_size=6))
_ODD_NAME = st.sampled_from(_ODD).map(VariableName)


@settings(max_examples=300)
@given(_statements(_ODD_NAME, _ODD_NAME, _ANY_NUMBER, _ANY_TEXT, divisors=_ODD_NAME | _ANY_NUMBER))
def test_what_is_written_is_read_back(expression):
    assert read_test(printed_xpath(expression)) == expression


@given(st.text(min_size=1, max_size=8))
def test_any_name_is_read_back(name):
    try:
        test = printed_xpath(TermComparison("==", VariableName(name), NumberLiteral(1)))
    except RuleError:
        assert not name.isprintable()  # half a surrogate pair
    else:
        assert read_test(test) == TermComparison("==", VariableName(name), NumberLiteral(1))


def test_how_it_is_written():
    assert printed_xpath(ONE) == "number(a) > 1"
    assert printed_xpath(TermComparison("==", A, B)) == "a = b or number(a) = number(b)"
    assert printed_xpath(TermComparison("!=", A, TextLiteral("it's"))) == "a != 'it''s'"
    assert printed_xpath(Among(A, (TextLiteral("x"), TextLiteral("y")))) == "a = ('x', 'y')"
    assert printed_xpath(InOriginal(A)) == "exists(index-of($original//Record/a, a))"
    assert printed_xpath(Conditional(ONE, TWO)) == "if (number(a) > 1) then number(b) < 2 else true()"
    assert printed_xpath(XPathTest("contains(a, 'x')", ("a",))) == "contains(a, 'x')"


@pytest.mark.parametrize(
    ("exponent", "written"),
    [
        (NumberLiteral(3), "number(a) * number(a) * number(a) = 1"),
        (Negative(NumberLiteral(2)), "1 div (number(a) * number(a)) = 1"),
        (NumberLiteral(0), "1 = 1"),
        (NumberLiteral(1), "number(a) = 1"),
    ],
)
def test_whole_powers_are_products(exponent, written):
    assert printed_xpath(TermComparison("==", Arithmetic("**", A, exponent), NumberLiteral(1))) == written


@pytest.mark.parametrize(
    ("expression", "why"),
    [
        (TermComparison("==", Arithmetic("**", A, NumberLiteral(0.5)), NumberLiteral(1)), "no sign for a power"),
        (TermComparison("==", Arithmetic("**", A, B), NumberLiteral(1)), "no sign for a power"),
        (TermComparison("==", Arithmetic("**", A, NumberLiteral(1e9)), NumberLiteral(1)), "no sign for a power"),
        (TermComparison("<", A, TextLiteral("x")), "not by size"),
        (TermComparison("==", Arithmetic("+", A, B), TextLiteral("x")), "not with the result of arithmetic"),
        (TermComparison("==", Arithmetic("+", A, TextLiteral("x")), B), "cannot be used in arithmetic"),
        (TermComparison("==", A, NumberLiteral(float("inf"))), "too large"),
        (TermComparison("==", VariableName(""), NumberLiteral(1)), "without a name"),
    ],
)
def test_what_cannot_be_written(expression, why):
    with pytest.raises(RuleError, match=why):
        printed_xpath(expression)


# What they say of records -------------------------------------------------------------------------------------

_VALUES = st.sampled_from([-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0, 3.0])
_DIVISORS = st.sampled_from([-2.0, -0.1, 1.0, 3.0])  # 1 div 0 is infinite in XPath, and nothing at all in shoal
_TOWNS = ["x", "it's", "1", "-2", "x y", "Ä"]
_ROWS = st.lists(
    st.tuples(_VALUES, _VALUES, _DIVISORS, st.sampled_from(_TOWNS), st.sampled_from(_TOWNS)), min_size=1, max_size=8
).map(lambda rows: pd.DataFrame(rows, columns=["a", "c d", "div", "town", "if"]))
_SAID = _statements(
    st.sampled_from(["a", "c d", "div"]).map(VariableName),
    st.sampled_from(["town", "if"]).map(VariableName),
    st.sampled_from([0.0, 0.1, 0.5, 1.0, 2.0]).map(NumberLiteral),
    st.sampled_from(_TOWNS).map(TextLiteral),
    divisors=st.sampled_from([VariableName("div"), NumberLiteral(0.1), NumberLiteral(3.0)]),
    original=False,
)
_ELEMENTS = {"c d": "c_x0020_d"}


def _microdata(frame):
    """Build the records as XML, value by value."""
    root = ElementTree.Element("Microdata")
    for row in frame.to_dict("records"):
        record = ElementTree.SubElement(root, "Record")
        for name, value in row.items():
            element = ElementTree.SubElement(record, _ELEMENTS.get(name, name))
            element.text = value if isinstance(value, str) else f"{value:g}"
    return root


def _by_elementpath(root, test):
    """Evaluate the test for one record after the other; the slow way, which nothing of shoal takes part in."""
    token = elementpath.XPath2Parser().parse(test)
    return [bool(token.evaluate(elementpath.XPathContext(root, item=record))) for record in root]


@settings(max_examples=150, deadline=None)
@given(_ROWS, _SAID)
def test_columns_say_what_elementpath_says_record_by_record(frame, expression):
    found = holds(expression, TableRecords(as_table(frame)), tolerance=0.0)
    assert found.tolist() == _by_elementpath(_microdata(frame), printed_xpath(expression))


@pytest.fixture(scope="module")
def saxon():
    processor = pytest.importorskip("saxonche").PySaxonProcessor(license=False)
    processor.set_configuration_property("http://saxon.sf.net/feature/allowedProtocols", "")

    def evaluated(root, test):
        text = ElementTree.tostring(root, encoding="unicode")
        xpath = processor.new_xpath_processor()
        xpath.set_context(xdm_item=processor.parse_xml(xml_text=text))
        found = xpath.evaluate(f"//Record/boolean({test})")
        return [found.item_at(place).boolean_value for place in range(found.size)]

    return evaluated


@settings(max_examples=100, deadline=None)
@given(frame=_ROWS, expression=_SAID)
def test_columns_say_what_saxon_says(saxon, frame, expression):
    found = holds(expression, TableRecords(as_table(frame)), tolerance=0.0)
    assert found.tolist() == saxon(_microdata(frame), printed_xpath(expression))


_FRAME = pd.DataFrame(
    {"a": [3.0, -1.0, 0.5, 2.0, -7.0], "b": [3, 1, 0, 2, 9], "t": ["x", "xy", "1999", "", "It's"]},
)


@pytest.mark.parametrize(
    "test",
    [
        "t < 'm'",
        "contains(t, 'x') and number(a) > 0",
        "some $v in (a, b) satisfies number($v) = 9",
        "every $v in (a, b) satisfies number($v) > -1",
        "count((a, b)[number(.) > 1]) = 2",
        "string-length(t) = number(b) + 1",
        "matches(t, '^[0-9]{4}$')",
        "if (t = 'x') then number(a) = 3 else upper-case(t) != 'XY'",
        "abs(number(a)) = max((number(a), number(b)))",
        "sum((a, b)) mod 2 = 0",
        "a[number(.) > 1]",
        "t/text() = 'x'",
        "concat(t, '!') = ('x!', '1999!')",
        "floor(a div 2) >= 1",
        "exists(t) and empty(())",
        "substring(t, 1, 1) = 'x'",
    ],
)
def test_other_tests_say_of_records_what_saxon_says(saxon, test):
    expression = read_test(test)
    assert isinstance(expression, XPathTest)
    found = holds_by_record(expression, TableRecords(as_table(_FRAME)))
    assert found.tolist() == saxon(_microdata(_FRAME), test)
    assert found.any()


def test_a_record_that_a_test_cannot_be_worked_out_for_breaks_it():
    records = TableRecords(as_table(_FRAME))
    test = "xs:integer(t) > 5 and string-length(t) > 0"
    assert holds_by_record(read_test(test), records).tolist() == [False, False, True, False, False]
    assert not holds_by_record(read_test("xs:integer(b) idiv 0 = 1"), records).any()


def test_every_record_of_a_long_file_is_told_apart_and_progress_is_reported():
    numbers = np.arange(12_000) % 100
    records = TableRecords(as_table(pd.DataFrame({"a": numbers})))
    seen = []
    with listening(seen.append):
        found = holds_by_record(read_test("string-length(a) = 1"), records)
    assert (found == (numbers < 10)).all()
    assert sum(seen) == pytest.approx(1.0)
    assert len(seen) == 3


@pytest.mark.parametrize("divisor", ["2", "-2", "1.5", "0"])
def test_the_rest_of_a_division_has_the_sign_of_what_is_divided(divisor):
    """XPath's mod is that of C, not of Python: -3 mod 2 is -1."""
    values = [-3.0, -1.0, -0.5, 0.0, 0.5, 1.0, 3.0]
    test = read_test(f"number(A) mod {divisor} = 1 or number(A) mod {divisor} = -0.5")
    found = holds_by_record(test, TableRecords(as_table(pd.DataFrame({"A": values}))))
    with np.errstate(all="ignore"):
        rest = np.fmod(values, float(divisor))
    assert found.tolist() == ((rest == 1) | (rest == -0.5)).tolist()
