"""Rules as plain text: what they mean as a tree, how they are printed, and what is refused."""

from __future__ import annotations

import sys
import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.edits import parse_rule, read_edits
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
)
from shoal.edits.rules import MOST_DEEP
from shoal.edits.text import MOST_LETTERS, MOST_NESTED, printed, read_expression
from shoal.errors import RuleError

A, B, C, ONE = VariableName("a"), VariableName("b"), VariableName("c"), NumberLiteral(1.0)


def is_one(variable):
    return TermComparison("==", variable, ONE)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a + b == c", TermComparison("==", Arithmetic("+", A, B), C)),
        ("a = b", TermComparison("==", A, B)),
        ("a <> b", TermComparison("!=", A, B)),
        ("a - b - c > 1", TermComparison(">", Arithmetic("-", Arithmetic("-", A, B), C), ONE)),
        ("a ** b ** c >= 1", TermComparison(">=", Arithmetic("**", A, Arithmetic("**", B, C)), ONE)),
        ("-a ** 2 < +b", TermComparison("<", Negative(Arithmetic("**", A, NumberLiteral(2.0))), B)),
        (
            "a*(b/1.5e-3) != .5",
            TermComparison("!=", Arithmetic("*", A, Arithmetic("/", B, NumberLiteral(0.0015))), NumberLiteral(0.5)),
        ),
        ("1 <= a < b", Every((TermComparison("<=", ONE, A), TermComparison("<", A, B)))),
        ("a == 1 or b == 1 and not c == 1", Some((is_one(A), Every((is_one(B), Not(is_one(C))))))),
        ("a is integer", IsInteger(A)),
        ("a is not integer", Not(IsInteger(A))),
        ("a in original", InOriginal(A)),
        ("a not in original", Not(InOriginal(A))),
        (
            "a in {car, 'a truck', `the bus`, -2}",
            Among(A, (TextLiteral("car"), TextLiteral("a truck"), TextLiteral("the bus"), NumberLiteral(-2))),
        ),
        ("a in [1]", Among(A, (ONE,))),
        ("a in (1, 1)", Among(A, (ONE, ONE))),
        ('a == "x"', TermComparison("==", A, TextLiteral("x"))),
        (r"""a == "tab\t, \"quoted\", \\d, \d, \u00e9, it's" """, None),
        ("if a == 1 then b == 1", Conditional(is_one(A), is_one(B))),
        ("if a == 1 then b == 1 else c == 1", Conditional(is_one(A), is_one(B), is_one(C))),
        (
            "if a == 1 then if b == 1 then c == 1 else a == 1",  # an else belongs to the nearest if
            Conditional(is_one(A), Conditional(is_one(B), is_one(C), is_one(A))),
        ),
        (
            "if a == 1 then b == 1 else if b == 1 then c == 1",
            Conditional(is_one(A), is_one(B), Conditional(is_one(B), is_one(C))),
        ),
        ("integer is integer", IsInteger(VariableName("integer"))),
        ("original in original", InOriginal(VariableName("original"))),
        ("`if` == `then`", TermComparison("==", VariableName("if"), VariableName("then"))),
        ("`a``b` == `x.y`", TermComparison("==", VariableName("a`b"), VariableName("x.y"))),
        ("lambda == None", TermComparison("==", VariableName("lambda"), VariableName("None"))),
    ],
)
def test_what_a_line_means(text, expected):
    if expected is None:
        expected = TermComparison("==", A, TextLiteral('tab\t, "quoted", \\d, \\d, é, it\'s'))
    assert read_expression(text) == expected


ODD_NAMES = [
    *["family income", "x.y", "no #", "it's", 'a "quoted" name', "a`b", "`", "``", "\\", "two\nlines", "1st", " ", "+"],
    "µ",  # the micro sign, which Python takes for the Greek letter
    "ﬁ",  # one letter, which Python takes for two
    *["e\u0301", "नाम", "😀", "\x00", "\u2028"],
    *["then", "in", "original", "integer", "if", "else", "and", "or", "not", "is"],
    *["lambda", "None", "True", "class", "import", "async", "match", "__import__", "__class__", "v0"],
    *["div", "mod", "eq", "every", "some", "satisfies", "return", "for", "count", "xpath"],
]


@pytest.mark.parametrize("name", ODD_NAMES)
@pytest.mark.parametrize("make", [is_one, IsInteger, InOriginal, lambda one: Among(one, (TextLiteral(one.name),))])
def test_any_name_can_be_written(name, make):
    expression = make(VariableName(name))
    rule = parse_rule(printed(expression))
    assert rule.expression == expression
    assert rule.variables == (name,)


names = st.one_of(st.sampled_from([*ODD_NAMES, "a", "b"]), st.text(min_size=1, max_size=8))
variables = st.builds(VariableName, names)
texts = st.builds(TextLiteral, st.text(max_size=8))
numbers = st.builds(NumberLiteral, st.floats(min_value=0, allow_infinity=False))
terms = st.recursive(
    variables | numbers,
    lambda inner: (
        st.builds(Negative, inner) | st.builds(Arithmetic, st.sampled_from(["+", "-", "*", "/", "**"]), inner, inner)
    ),
    max_leaves=8,
)
comparisons = st.builds(
    TermComparison, st.sampled_from(["==", "!=", "<", "<=", ">", ">="]), terms | texts, terms | texts
)
listed = st.builds(NumberLiteral, st.floats(allow_infinity=False, allow_nan=False)) | texts
tests = st.one_of(
    comparisons,
    st.builds(Among, variables, st.lists(listed, min_size=1, max_size=4).map(tuple)),
    st.builds(IsInteger, variables),
    st.builds(InOriginal, variables),
)
logic = st.recursive(
    tests,
    lambda inner: st.one_of(
        st.builds(Not, inner),
        st.builds(Every, st.lists(inner, min_size=2, max_size=3).map(tuple)),
        st.builds(Some, st.lists(inner, min_size=2, max_size=3).map(tuple)),
    ),
    max_leaves=6,
)
statements = st.deferred(
    lambda: st.one_of(
        logic, st.builds(Conditional, logic, statements), st.builds(Conditional, logic, logic, statements)
    )
)


@settings(max_examples=300)
@given(statements)
def test_what_is_printed_reads_back_the_same(expression):
    text = printed(expression)
    assert read_expression(text) == expression
    assert printed(read_expression(text)) == text


@given(st.lists(statements, min_size=1, max_size=4))
def test_what_is_printed_reads_back_the_same_from_a_file(tmp_path_factory, expressions):
    on_a_line = [one for one in expressions if "\n" not in printed(one) and "\r" not in printed(one)]
    file = tmp_path_factory.mktemp("rules") / "rules.txt"
    lines = [f"  {printed(one)} # net + tax == gross" for one in on_a_line]
    try:
        expected = [parse_rule(printed(one)) for one in on_a_line]
    except RuleError:  # such as one without a variable
        return
    file.write_text("\n".join(["\ufeff# comment", "", *lines, "last == 1"]), encoding="utf-8")
    expected.append(parse_rule("last == 1"))
    assert [rule.expression for rule in read_edits(file)] == [rule.expression for rule in expected]


DEEP = sys.getrecursionlimit()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "ends too early"),
        ("   ", "ends too early"),
        ("a", "must compare something"),
        ("a + b", "must compare something"),
        ("not a", "must compare something"),
        ("a and b == 1", "must compare something"),
        ("a, b == 1", "must compare something"),
        ("a == ", "cannot be read"),
        ("a b", "cannot be read"),
        ("a == 1 == ", "cannot be read"),
        ("a == b; c == d", '";" in it'),
        ("a := 1", '":" in it'),
        ("(a := 1) == 1", '":" in it'),
        ("a.b == 1", '"." in it'),
        ("a == 1 & b == 1", '"&" in it'),
        ("a == 😀", "😀"),
        ("a == \x00", r"U\+0000"),
        ("a == \x1b[31m", r"U\+001B"),
        ("`a == 1", "has a ` without another"),
        ('a == "b', 'has a " without another'),
        ("a == 'b", "has a ' without another"),
        ("`` == 1", "empty name"),
        ("a == 007", '"007" in it; .* a code goes in quotes'),
        ("a == 1_000", "cannot be read"),
        ("a == f'{b}'", "cannot be read"),
        ("a == b'x'", "cannot be read"),
        ("a == 'x' 'y'", "cannot be read"),
        ("a == 0x10", "cannot be read"),
        ("a == 2j", "cannot be read"),
        ("a == (1", "cannot be read"),
        ("a == 1)", "cannot be read"),
        ("a == ...", '"." in it'),
        ("a // b == 1", "may compute with"),
        ("a >> b == 1", "may compute with"),
        ("a % b == 1", '"%" in it'),
        ("a == [1]", "may compute with"),
        ("a[0] == 1", "may compute with"),
        ("f(a) == 1", "may compute with"),
        ("2(a) == 1", "may compute with"),
        ("(a == 1) == b", "may compute with"),
        ("(not a) == 1", "may compute with"),
        ("a == (b if c)", "within brackets"),
        ("__import__('os').system('true') == 1", '"." in it'),
        ("(lambda: 0)() == a", '":" in it'),
        ("a.__class__ == 1", '"." in it'),
        ("a in b", 'may say "in original"'),
        ("a in `original`", 'may say "in original"'),
        ("a in {}", 'may say "in original"'),
        ("a in []", "list without values"),
        ("a in {1 + 1}", "no arithmetic"),
        ("a in {*b}", "may compute with"),
        ("a in {b: 1}", '":" in it'),
        ("a + b in original", "needs the name of a column"),
        ("1 is integer", "needs the name of a column"),
        ("a is text", 'no other "is"'),
        ("a is `integer`", 'no other "is"'),
        ("if a == 1", 'an "if" without "then"'),
        ("if then a == 1", 'nothing before "then"'),
        ("if a == 1 then", "ends too early"),
        ("if a == 1 then else b == 1", 'nothing before "else"'),
        ("a == 1 if b == 1 then c == 1", 'from "if" on'),
        ("if a == 1 then b == 1 else c == 1 else c == 1", 'from "else" on'),
        ("(if a == 1 then b == 1) or c == 1", '"if" within brackets'),
        ("1 == 1", "no variable"),
        ('"a" == "a"', "no variable"),
        ("a / 0 == c", "divides by zero"),
        ("a / (2 - 1 - 1) == c", "divides by zero"),
        ("a / (1 / 0) == c", "divides by zero"),
        ("a + 'text' == 1", "uses a text in arithmetic"),
        ("1e400 * a == 1", "too large"),
        ("9" * 400 + " * a == 1", "too large"),
        ("a == " + "(" * (MOST_NESTED + 1) + "1" + ")" * (MOST_NESTED + 1), f"more than {MOST_NESTED} brackets"),
        ("(" * 10_000, "brackets within each other"),
        ("a == " + "[" * 9_000, "brackets within each other"),
        ("a" * (MOST_LETTERS + 1), "10,001 letters"),
        ("a == " + "-" * 9_000 + "1", "nested too deeply"),
        ("not " * 2_000 + "a == 1", "nested too deeply"),
        ("+".join(["a"] * 2_400) + " == 1", "nested too deeply"),
        ("+".join(["a"] * (DEEP - 300)) + " == 1", f"more than {MOST_DEEP} terms"),
        ("**".join(["a"] * (DEEP - 300)) + " == 1", f"more than {MOST_DEEP} terms"),
        ("if a == 1 then " * 300 + "a == 1", f"more than {MOST_DEEP} terms"),
        ("if " * 3_000 + "a == 1", "nested too deeply"),
        ("a == '" + "\\" * 9_001, "has a ' without another"),
        ("`" * 9_999, "without another|cannot be read"),
    ],
)
def test_what_is_no_rule_gets_one_line_that_says_why(text, why):
    with warnings.catch_warnings(), pytest.raises(RuleError, match=why) as caught:
        warnings.simplefilter("error")  # Python warns of odd syntax, on lines of its own
        parse_rule(text)
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize(
    "text",
    [
        "a" * (MOST_LETTERS - 5) + " == 1",
        "a == " + "(" * MOST_NESTED + "1" + ")" * MOST_NESTED,
        "+".join(["a"] * (MOST_DEEP - 1)) + " == 1",
        " and ".join(["a < b"] * 1_000),
        "a in {" + ", ".join(str(number) for number in range(1_500)) + "}",
    ],
)
def test_what_is_large_but_meant_is_read(text):
    rule = parse_rule(text)
    assert parse_rule(rule.text).expression == rule.expression
    assert len(rule.shown) <= 80
    assert isinstance(hash(rule), int)
    assert rule.kind


SIGNS = [*"+-*/()[]{},<>=`'\"#.:!\\ ", "**", "==", "!=", "<=", "\n", "\x00"]
WORDS = ["in", "is", "not", "and", "or", "if", "then", "else", "original", "integer", "lambda", "a", "é", "😀"]
words = st.sampled_from([*SIGNS, *WORDS, "`b c`", "1", ".5", "1e5", '"x"', "'y'"])


@settings(max_examples=500)
@given(st.one_of(st.text(max_size=40), st.lists(words, max_size=25).map(" ".join), st.lists(words).map("".join)))
def test_any_text_is_a_rule_or_one_line(text):
    """A rule that was read says so itself: printed and read again it is the same."""
    try:
        rule = parse_rule(text)
    except RuleError as error:
        assert str(error).isprintable()
    else:
        if not text.strip().startswith("xpath:"):
            assert parse_rule(rule.text).expression == rule.expression
