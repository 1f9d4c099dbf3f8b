"""Rules as plain text: what they mean as a tree, how they are printed, and what is refused."""

from __future__ import annotations

import sys
import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.edits import parse_rule, parse_rules, read_edits
from shoal.edits.expressions import (
    Among,
    Arithmetic,
    Comparison,
    Conditional,
    Every,
    InOriginal,
    IsInteger,
    Negative,
    Not,
    Number,
    Some,
    Text,
    Variable,
)
from shoal.edits.rules import MOST_DEEP
from shoal.edits.text import MOST_LETTERS, MOST_NESTED, printed, read_expression
from shoal.errors import RuleError

A, B, C, ONE = Variable("a"), Variable("b"), Variable("c"), Number(1.0)


def is_one(variable):
    return Comparison("==", variable, ONE)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a + b == c", Comparison("==", Arithmetic("+", A, B), C)),
        ("a = b", Comparison("==", A, B)),
        ("a <> b", Comparison("!=", A, B)),
        ("a - b - c > 1", Comparison(">", Arithmetic("-", Arithmetic("-", A, B), C), ONE)),
        ("a ** b ** c >= 1", Comparison(">=", Arithmetic("**", A, Arithmetic("**", B, C)), ONE)),
        ("-a ** 2 < +b", Comparison("<", Negative(Arithmetic("**", A, Number(2.0))), B)),
        ("a*(b/1.5e-3) != .5", Comparison("!=", Arithmetic("*", A, Arithmetic("/", B, Number(0.0015))), Number(0.5))),
        ("1 <= a < b", Every((Comparison("<=", ONE, A), Comparison("<", A, B)))),
        ("a == 1 or b == 1 and not c == 1", Some((is_one(A), Every((is_one(B), Not(is_one(C))))))),
        ("a is integer", IsInteger(A)),
        ("a is not integer", Not(IsInteger(A))),
        ("a in original", InOriginal(A)),
        ("a not in original", Not(InOriginal(A))),
        ("a in {car, 'a truck', `the bus`, -2}", Among(A, (Text("car"), Text("a truck"), Text("the bus"), Number(-2)))),
        ("a in [1]", Among(A, (ONE,))),
        ("a in (1, 1)", Among(A, (ONE, ONE))),
        ('a == "x"', Comparison("==", A, Text("x"))),
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
        ("integer is integer", IsInteger(Variable("integer"))),
        ("original in original", InOriginal(Variable("original"))),
        ("`if` == `then`", Comparison("==", Variable("if"), Variable("then"))),
        ("`a``b` == `x.y`", Comparison("==", Variable("a`b"), Variable("x.y"))),
        ("lambda == None", Comparison("==", Variable("lambda"), Variable("None"))),
    ],
)
def test_what_a_line_means(text, expected):
    if expected is None:
        expected = Comparison("==", A, Text('tab\t, "quoted", \\d, \\d, é, it\'s'))
    assert read_expression(text) == expected


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("net + tax == gross", "linear"),
        ("a == 2 * b - 1", "linear"),
        ("price * amount == value", "product"),
        ("value / amount == price ** 2", "product"),
        ("0 <= age <= 120", "possible values"),
        ("rooms is integer", "possible values"),
        ("vehicle in {car, truck}", "possible values"),
        ('town != "nowhere"', "possible values"),
        ("a <= b", "governs"),
        ("if age < 15 then wage == 0", "governs"),
        ("town in original", "value domain"),
        ("a * b + c == 1", "checked only"),
    ],
)
def test_the_kinds_of_rule(text, kind):
    assert parse_rule(text).kind == kind


def test_the_variables_of_a_rule_stand_in_its_order():
    assert parse_rule("if b < 1 then a + b == c else d in original").variables == ("b", "a", "c", "d")


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
@pytest.mark.parametrize("make", [is_one, IsInteger, InOriginal, lambda one: Among(one, (Text(one.name),))])
def test_any_name_can_be_written(name, make):
    expression = make(Variable(name))
    rule = parse_rule(printed(expression))
    assert rule.expression == expression
    assert rule.variables == (name,)


names = st.one_of(st.sampled_from([*ODD_NAMES, "a", "b"]), st.text(min_size=1, max_size=8))
variables = st.builds(Variable, names)
texts = st.builds(Text, st.text(max_size=8))
numbers = st.builds(Number, st.floats(min_value=0, allow_infinity=False))
terms = st.recursive(
    variables | numbers,
    lambda inner: (
        st.builds(Negative, inner) | st.builds(Arithmetic, st.sampled_from(["+", "-", "*", "/", "**"]), inner, inner)
    ),
    max_leaves=8,
)
comparisons = st.builds(Comparison, st.sampled_from(["==", "!=", "<", "<=", ">", ">="]), terms | texts, terms | texts)
listed = st.builds(Number, st.floats(allow_infinity=False, allow_nan=False)) | texts
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
    assert read_edits(file) == [*expected, parse_rule("last == 1")]


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
        ("a in {1 + 1}", "nothing computed"),
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
        ("a + 'text' == 1", "computes with a text"),
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
    assert parse_rule(rule.text) == rule
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
            assert parse_rule(rule.text) == rule


def test_other_things_than_text():
    with pytest.raises(RuleError, match="line of text; got int"):
        parse_rules([3])
    with pytest.raises(RuleError, match="list of lines of text; got int"):
        parse_rules(3)
    with pytest.raises(RuleError, match="list of lines of text; got NoneType"):
        read_edits(None)
    rule = parse_rule("a == b")
    assert parse_rules(rule) == parse_rules("a == b") == parse_rules([rule]) == read_edits(["a == b"]) == [rule]


def test_comments_in_a_file(tmp_path):
    file = tmp_path / "rules.txt"
    file.write_text(
        "# income\n"
        "net + tax == gross\r\n"
        "\n"
        "   # a ` and a \" and a '\r"
        "a <= 2 * b  # twice, not `thrice\n"
        '`no #` == "#1" # `y`\n'
        'x in {\'#\', "it\'s #", "\\"#"}# z'
    )
    assert [rule.text for rule in read_edits(file)] == [
        "net + tax == gross",
        "a <= 2 * b",
        '`no #` == "#1"',
        'x in {"#", "it\'s #", "\\"#"}',
    ]


def test_a_line_that_is_no_rule_is_named(tmp_path):
    file = tmp_path / "rules.txt"
    file.write_text("a == b\n\na b\n")
    with pytest.raises(RuleError, match=r'rules.txt", line 3: The rule "a b" cannot be read'):
        read_edits(file)


@pytest.mark.parametrize("content", ["", "\n\n", "# nothing\n   # at all", "\ufeff"])
def test_a_file_without_a_rule(tmp_path, content):
    file = tmp_path / "rules.txt"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(RuleError, match=r'There is no rule in ".*rules.txt"'):
        read_edits(file)


def test_files_that_are_no_rules(tmp_path):
    file = tmp_path / "rules.txt"
    with pytest.raises(RuleError, match="No such file"):
        read_edits(file)
    with pytest.raises(RuleError, match=r"No such file or directory\. A rule by itself goes in a list"):
        read_edits("net + tax == gross")
    with pytest.raises(RuleError, match="zero byte"):
        read_edits("a\0b")
    with pytest.raises(RuleError, match="directory"):
        read_edits(tmp_path)
    file.write_bytes("é == 1".encode("latin-1"))
    with pytest.raises(RuleError, match="not a text file in UTF-8"):
        read_edits(file)
    file.write_bytes(b"#" * 5_000_001)
    with pytest.raises(RuleError, match="more than 5 MB"):
        read_edits(file)


@pytest.mark.parametrize("letter", ['"', "'", "`", '"\\', "#", "a"])
def test_a_line_of_millions_of_letters_does_not_hang(tmp_path, letter):
    """Matching the quotes of such a line could take for ever."""
    file = tmp_path / "rules.txt"
    file.write_text(f"a == {letter * (2_000_000 // len(letter))}\nb == 1")
    with pytest.raises(RuleError, match=r"line 1: A rule has 2,000,005 letters"):
        read_edits(file)
    file.write_text(f"# {letter * (2_000_000 // len(letter))}\nb == 1")
    assert [rule.text for rule in read_edits(file)] == ["b == 1"]
