"""Rules as Schematron: the figures of the paper, the order of rules, what is refused, and the way back."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from shoal.edits import Rule, parse_rule, read_edits
from shoal.edits.expressions import (
    Conditional,
    Every,
    InOriginal,
    Not,
    NumberLiteral,
    TermComparison,
    VariableName,
    XPathTest,
)
from shoal.edits.schematron import read_schematron, schematron_of
from shoal.errors import RuleError

ISO = "http://purl.oclc.org/dsdl/schematron"
OLD = "http://www.ascc.net/xml/schematron"

# Figures 1 to 5 of Torra, Cano and Navarro-Arribas, Dealing with edit constraints in microdata protection:
# microaggregation (Bilbao, 2009), as printed, with the entities that the print lost.
FIGURES = """
<pattern name="EC-LC: V9+V10 = V14" >
  <rule context="Record" >
    <assert test="1.0 * number(V9)
      + 1.0 * number(V10)
      = number(V14)" >
      Linear Constraint
      total_others <value-of select="V9" />
      + total_personal <value-of select="V10" />
      != total_family <value-of select="V14" />
    </assert>
  </rule>
</pattern>
<pattern name="EC-NLC: V5*V15 = V16" >
  <rule context="Record" >
    <assert test="number(V5)
      * number(V15)
      = number(V16)" >
      Non-linear Constraint
      fed. income tax <value-of select="V5" />
      * inv. state income tax
      <value-of select="V15" />
      != fed./state ratio
      <value-of select="V16" />
    </assert>
  </rule>
</pattern>
<pattern name="EC-PV: V3 in [0, 7500]">
  <rule context="Record">
    <assert test="0 &lt;= number(V3) and
      number(V3) &lt;= 7500">
      Constraints on possible values
      Employer contribution for health care
      <value-of select="V3"/>
      is not in the interval [0, 7500]
    </assert>
  </rule>
</pattern>
<pattern name="EC-LC: if V8 &lt; 1115 then
  V13 &lt;= V12">
  <rule context="Record">
    <assert test="not(number(V8) &lt; 1115) or
      (number(V13) &lt;= number(V12))">
      IF total person earnings
      <value-of select="V8"/>
      &lt; 1115 THEN
      total wage and salary
      <value-of select="V13"/>
      &lt;= taxable income
      <value-of select="V12"/>
      does not hold
    </assert>
  </rule>
</pattern>
<pattern name="Value-domain restriction">
  <rule context="Record">
    <let name="original"
        value="document('microdata.xml')"/>
    <assert test="exists(index-of
                        ($ original //Record/V1, V1))">
      Value <value-of select="V1"/>
      is not in domain of original values for V1
    </assert>
  </rule>
</pattern>
"""


def read(inner, namespace=ISO, attributes=""):
    return read_schematron(f'<schema xmlns="{namespace}" {attributes}>{inner}</schema>'.encode(), "rules.sch")


def one_rule(*tests, context="Record", before=""):
    asserts = "".join(f'<assert test="{test}"/>' for test in tests)
    return f'<pattern>{before}<rule context="{context}">{asserts}</rule></pattern>'


# What is read -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("namespace", [ISO, OLD, ""])
def test_the_figures_of_the_paper_are_the_five_kinds_of_rule(namespace):
    rules = read(FIGURES, namespace)
    assert [(rule.kind, rule.variables) for rule in rules] == [
        ("linear", ("V9", "V10", "V14")),
        ("product", ("V5", "V15", "V16")),
        ("possible values", ("V3",)),
        ("governs", ("V8", "V13", "V12")),
        ("value domain", ("V1",)),
    ]
    assert [rule.text for rule in rules] == [
        "1 * V9 + 1 * V10 == V14",
        "V5 * V15 == V16",
        "0 <= V3 and V3 <= 7500",
        "not (V8 < 1115) or V13 <= V12",
        "V1 in original",
    ]
    assert rules[3].name == "EC-LC: if V8 < 1115 then V13 <= V12"


def test_a_prefix_and_a_single_pattern_are_read_too(tmp_path):
    path = tmp_path / "rules.sch"
    path.write_text(
        f'<s:pattern xmlns:s="{ISO}" id="p"><s:rule context="r"><s:report test="a = 1"/></s:rule></s:pattern>'
    )
    assert read_edits(path) == [Rule(Not(parse_rule("a == 1").expression), "p")]


@pytest.mark.parametrize(
    "context", ["Record", "//Record", "/Microdata/Record", "Microdata/Record", "*/Record", ".//Record"]
)
def test_contexts(context):
    assert read(one_rule("a = 1", context=context)) == [parse_rule("a == 1")]


@pytest.mark.parametrize(
    ("pattern", "name"),
    [
        ('<pattern name="n" id="i"><title>t</title>', "n"),
        ('<pattern id="i"><title> t\n u </title>', "t u"),
        ('<pattern id="i">', "i"),
        ("<pattern>", ""),
    ],
)
def test_names(pattern, name):
    (rule,) = read(f'{pattern}<rule context="r"><assert test="a = 1">m</assert></rule></pattern>')
    assert rule.name == name


LOW, HIGH = (
    TermComparison("<", VariableName("a"), NumberLiteral(1)),
    TermComparison(">", VariableName("a"), NumberLiteral(9)),
)
SAID = TermComparison("==", VariableName("b"), NumberLiteral(5))


def test_conditions_in_a_context():
    (rule,) = read(one_rule("b = 5", context="Record[a &lt; 1]"))
    assert rule.expression == Conditional(LOW, SAID)
    (rule,) = read(one_rule("b = 5", context="//Record[a &lt; 1][a &gt; 9]"))
    assert rule.expression == Conditional(Every((LOW, HIGH)), SAID)
    (rule,) = read(one_rule("b = 5", context="Record[t = ']'] "))
    assert rule.variables == ("t", "b")
    (rule,) = read(one_rule("b = 5", context="Record[starts-with(t, 'x')]"))
    assert rule.expression == XPathTest("if ((starts-with(t, 'x'))) then (b = 5) else true()", ("t", "b"))


def test_only_the_first_rule_of_a_pattern_that_matches_is_fired():
    rules = read(
        """<pattern>
             <rule context="Record[a &lt; 1]"><assert test="b = 5"/></rule>
             <rule context="Record[a &gt; 9]"><assert test="b = 5"/><report test="b = 5"/></rule>
             <rule context="Record"><assert test="b = 5"/></rule>
           </pattern>
           <pattern><rule context="Record"><assert test="b = 5"/></rule></pattern>"""
    )
    assert [rule.expression for rule in rules] == [
        Conditional(LOW, SAID),
        Conditional(Every((Not(LOW), HIGH)), SAID),
        Conditional(Every((Not(LOW), HIGH)), Not(SAID)),
        Conditional(Every((Not(LOW), Not(HIGH))), SAID),
        SAID,
    ]


def test_a_condition_alone_can_be_what_is_refused():
    (rule,) = read('<pattern><rule context="Record[a &lt; 1]"><report test="true()">none</report></rule></pattern>')
    assert rule.expression == Not(LOW)


def test_lets_of_every_level():
    rules = read(
        """<let name="limit" value="4 + 1"/><let name="file" value="doc('m.xml')"/>
           <pattern><let name="low" value="1"/>
             <rule context="Record[a &lt; $low]"><let name="x" value="number(b)"/><let name="y" value="$x * 2"/>
               <assert test="$x = $limit"/><assert test="$y = 2"/><assert test="t = $file//Record/t"/></rule>
           </pattern>"""
    )
    assert [rule.text for rule in rules] == [
        "if a < 1 then b == 4 + 1",
        "if a < 1 then b * 2 == 2",
        "if a < 1 then t in original",
    ]


def test_what_does_not_matter_is_passed_over():
    (rule,) = read(
        """<!-- so --><title>T</title><ns prefix="m" uri="u"/><p>text</p><phase id="f"><active pattern="x"/></phase>
           <doc xmlns="urn:other">text</doc>
           <pattern><p>text</p><rule context="Record" role="error"><!-- so --><assert test="a = 1" flag="f">
           <emph>no</emph><value-of select="doc('/etc/passwd')"/><dir>x</dir></assert></rule></pattern>
           <diagnostics><diagnostic id="d">text</diagnostic></diagnostics>""",
        attributes='queryBinding="xslt2" defaultPhase="#ALL"',
    )
    assert rule == parse_rule("a == 1")


def test_the_document_of_a_let_is_not_opened(tmp_path):
    (tmp_path / "here.xml").mkdir()  # opening it would fail
    (rule,) = read(
        f'<let name="o" value="document(&quot;{tmp_path}/here.xml&quot;)"/>'
        + one_rule("exists(index-of($o//Record/a, a))")
    )
    assert rule.expression == InOriginal(VariableName("a"))


# What is refused ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("inner", "line", "why"),
    [
        ("", 1, "no assert and no report"),
        ("\n<pattern><rule><assert test='a = 1'/></rule></pattern>", 2, 'has no "context"'),
        ("\n" + one_rule(""), 2, 'has no "test"'),
        ("<pattern><rule context='Record'>\n<assert>a = 1</assert></rule></pattern>", 2, 'has no "test"'),
        ("\n\n" + one_rule("a &lt; b"), 3, "Write number"),
        ("\n" + one_rule("a div 0 = 1"), 2, "divides by zero"),
        ("\n" + one_rule("true()"), 2, "true for every record"),
        ("\n" + one_rule("doc('/etc/passwd') = a"), 2, r"calls something\(\), which shoal does not run"),
        ("\n" + one_rule("a = 1", context="/"), 2, "does not read this context"),
        ("\n" + one_rule("a = 1", context="Record|Row"), 2, "does not read this context"),
        ("\n" + one_rule("a = 1", context="Record[a = 1"), 2, "does not read this context"),
        ("\n" + one_rule("a = 1", context="Microdata[a = 1]/Record"), 2, "does not read this context"),
        ("\n" + one_rule("a = 1", context="Record[1]"), 2, "must compare something"),
        ("\n" + one_rule("a = 1", context="Record[number(b)]"), 2, "must compare something"),
        ("\n" + one_rule("a = 1", context="Record[a &lt; b]"), 2, "Write number"),
        ("\n" + one_rule("a = 1", context="Record[false()]"), 2, "never fire"),
        (one_rule("a = 1") + "\n" + one_rule("a = 1", context="Row"), 2, "called otherwise before"),
        ("\n" + one_rule("a = 1", before="\n<rule context='Record'/>\n"), 4, "never fire, because the one in line 3"),
        (one_rule("a = 1", context="r[a=1]", before="<rule context='r[a = 1]'/>\n"), 2, "the one in line 1"),
        ("\n<let name='x' value='number(a)'/>" + one_rule("$x = 1"), 2, "move it into the rule"),
        ("\n<let name='x'/>", 2, 'has no "value"'),
        ("\n<let name='x y' value='1'/>", 2, "is not a name"),
        ("<let name='x' value='1'/>\n<let name='x' value='2'/>", 2, "the name of two"),
        ("<let name='x' value='doc(\"a.xml\")'/>\n<let name='y' value='doc(\"b.xml\")'/>", 2, "two documents"),
        ("\n<let name='x' value='1 to'/>", 2, "is not XPath"),
        ("\n" + one_rule("$x = a"), 2, "no let before it defines"),
        ("\n<pattern abstract='true'/>", 2, '"abstract" of <pattern>'),
        ("\n<pattern is-a='p'/>", 2, '"is-a" of <pattern>'),
        ("<pattern>\n<rule abstract='true' id='r'/></pattern>", 2, "abstract|context"),
        ("<pattern><rule context='Record'>\n<extends rule='r'/></rule></pattern>", 2, "this element in <rule>"),
        ("\n<include href='/etc/passwd'/>", 2, "this element in <schema>"),
        ("<pattern>\n<include href='other.sch'/></pattern>", 2, "this element in <pattern>"),
        ("\n<xsl:include xmlns:xsl='http://www.w3.org/1999/XSL/Transform' href='x'/>", 2, "does not read XSLT"),
        ("\n<xsl:function xmlns:xsl='http://www.w3.org/1999/XSL/Transform' name='f'/>", 2, "does not read XSLT"),
        ("\n<unheard-of/>", 2, "this element in <schema>"),
    ],
)
def test_what_is_refused_says_why_and_where(inner, line, why):
    with pytest.raises(RuleError, match=why) as caught:
        read(inner)
    assert str(caught.value).startswith(f'"rules.sch", line {line}: ')
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("attributes", "why"), [('defaultPhase="f"', "defaultPhase"), ('queryBinding="stx"', "reads tests in XPath")]
)
def test_other_ways_to_run_rules_are_refused(attributes, why):
    with pytest.raises(RuleError, match=why):
        read(one_rule("a = 1"), attributes=attributes)


LAUGHS = (
    '<!DOCTYPE schema [<!ENTITY a0 "ha">'
    + "".join(f'<!ENTITY a{n + 1} "{f"&a{n};" * 10}">' for n in range(9))
    + "]><schema>&a9;</schema>"
)


@pytest.mark.parametrize(
    "content",
    [
        LAUGHS.encode(),
        LAUGHS.encode("utf-16"),
        b'<!DOCTYPE schema [<!ENTITY x SYSTEM "file:///etc/passwd">]><schema>&x;</schema>',
        b'<?xml version="1.0"?>\n<!-- so -->\n<!DOCTYPE schema SYSTEM "http://localhost:9/x.dtd"><schema/>',
    ],
    ids=["billion laughs", "in UTF-16", "external entity", "external subset"],
)
def test_document_types_are_refused(content):
    with pytest.raises(RuleError, match=r'"rules.sch".*DOCTYPE') as caught:
        read_schematron(content, "rules.sch")
    assert "\n" not in str(caught.value) and "root" not in str(caught.value)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"a == 1",
        b"<schema>",
        b"<schema>\n<pattern></schema>",
        b"<schema>&unheard-of;</schema>",
        b"\xff\xfe\x00",
        b"<a/>",
    ],
)
def test_what_is_no_schematron_gets_one_line(content):
    with pytest.raises(RuleError, match=r'"rules\.sch"') as caught:
        read_schematron(content, "rules.sch")
    assert "\n" not in str(caught.value)


def test_deep_and_wide_documents():
    with pytest.raises(RuleError, match=r"rules\.sch"):
        read_schematron(b"<schema>" * 100_000, "rules.sch")
    with pytest.raises(RuleError, match="letters"):
        read(one_rule("a" * 5_000_000))
    assert len(read(one_rule("a = 1") * 500)) == 500


def test_lets_do_not_laugh_either():
    lets = "".join(f'<let name="a{n + 1}" value="{" + ".join([f"$a{n}"] * 10)}"/>' for n in range(9))
    with pytest.raises(RuleError, match="more than 10,000 letters"):
        read(f'<let name="a0" value="1"/>{lets}' + one_rule("$a9 = b"))


# The way back -------------------------------------------------------------------------------------------------

TEXTS = [
    "net + tax == gross",
    "0 <= age <= 120",
    "rooms is integer",
    "vehicle in {car, 'it is', 1}",
    "price * amount == value",
    "if age < 15 then wage == 0 else wage > 0",
    "town in original",
    "not (a == b) or `net income` <= -0.1",
    'a == "<&>\\"\' \n\t"',
    "xpath: starts-with(town, 'A') and string-length(town) < 20",
]


@given(st.lists(st.sampled_from(TEXTS), min_size=1, max_size=4), st.sampled_from(["", "a name", "<&>"]))
@settings(deadline=None)
def test_what_is_written_is_read_back(texts, name):
    rules = [Rule(parse_rule(text).expression, name) for text in texts]
    written = schematron_of(rules)
    assert [rule.expression for rule in read_schematron(written.encode(), "rules.sch")] == [
        rule.expression for rule in rules
    ]
    if name:
        assert {rule.name for rule in read_schematron(written.encode(), "rules.sch")} == {name}


def test_the_document_written():
    root = etree.fromstring(schematron_of([parse_rule("a in original")]).encode())
    assert (root.tag, root.get("queryBinding")) == (f"{{{ISO}}}schema", "xslt2")
    assert root.find(f"{{{ISO}}}let").get("value") == "document('original.xml')"
    assert root.find(f".//{{{ISO}}}assert").get("test") == "exists(index-of($original//Record/a, a))"
    assert root.find(f".//{{{ISO}}}rule").get("context") == "Record"
    assert "let" not in schematron_of([parse_rule("a == 1")])


@pytest.mark.parametrize("text", ["a ** 0.5 == b", "a == '\x01'"])
def test_what_cannot_be_written(text):
    with pytest.raises(RuleError, match="cannot be written as Schematron"):
        schematron_of([parse_rule(text)])
