"""A fragment changes nothing around it, and two of them do not get into each other's way."""

from __future__ import annotations

import re

import pytest
from lxml import html
from markupsafe import Markup

from shoal.report.notebook.fragment import fragment, scoped
from shoal.report.page.parts import PageCard, PageFigure, PageSection, PageTable
from shoal.report.page.plots import bars
from shoal.report.page.svg import new_axes, svg_of

ROOT = ".shoal-shown.shoal-shown.shoal-shown"
ODD = """<script>alert(1)</script> a"b'c&d {{ 7 * 7 }} id="x" href="#y" end"""


@pytest.mark.parametrize(
    ("sheet", "within"),
    [
        ("td { color: red; }", f"{ROOT} td {{ color: red; }}"),
        ("th, td:not(.a) > b { margin: 1.5rem .2rem; }", f"{ROOT} th, {ROOT} td:not(.a) > b {{ margin: 22.5px 3px; }}"),
        ("& { top: 0; }", f"{ROOT} {{ top: 0; }}"),
        ('[a="b"] &, .c & { top: 0; }', f'[a="b"] {ROOT}, .c {ROOT} {{ top: 0; }}'),
        ("@media print { p { top: 0; } }", f"@media print {{\n{ROOT} p {{ top: 0; }} }}"),
        ("p /* all, of them */ { top: 0; }", f"{ROOT} p {{ top: 0; }}"),
    ],
)
def test_a_style_holds_within_fragments_alone(sheet, within):
    assert scoped(sheet) == within


def test_no_rule_of_the_style_reaches_beyond_the_fragment():
    style = re.search(r"<style>(.*)</style>", fragment("a", "b", [], []), re.DOTALL)[1]
    rules = re.findall(r"([^{}]+)\{[^{}]*\}", re.sub(r"@media[^{]*\{", "", style))
    assert len(rules) > 50
    for rule in rules:
        assert all(ROOT in selector for selector in rule.split(",")), rule
    assert style.count("{") == style.count("}")
    assert "rem" not in re.sub(r"[a-z-]*remove", "", style)  # its sizes are its own
    assert not {"&", ":root", "body", "@import"} & set(re.findall(r"&|:root|(?<!t)body|@import", style))


def drawn(name: str) -> str:
    section = PageSection("s", name, [name], bullets=[name], facts=[(name, name)])
    return fragment(name, name, [PageCard("1", name, name, name)], [section], note=name)


def test_whatever_it_says_is_text():
    page = html.fragment_fromstring(drawn(ODD))
    assert not page.xpath("//script | //@id | //@href | //@onclick | //@src")
    assert page.xpath("string(.//p[@class='verdict'])") == page.xpath("string(.//summary)") == ODD
    assert page.get("aria-label") == ODD


def clipped(name: str) -> str:
    figure, axes = new_axes(100, 100, 5, 5, 5, 5)
    axes.plot([0, 9], [0, 9], marker="o")
    axes.set_xlim(0, 5)
    return svg_of(figure, "m", name)


def test_identifiers_are_those_of_one_fragment_even_if_it_is_drawn_twice():
    table = PageTable("t", ("a",), [("b",)])
    shown = [
        fragment("a", said, [], [PageSection("s", "t", figures=[PageFigure("f", Markup(clipped(ODD)), table)])])
        for said in ("one", "other", "one")
    ]
    pages = [html.fragment_fromstring(one) for one in shown]
    names = [name for page in pages for name in page.xpath("//@id")]
    assert len(names) == len(set(names)) >= 3 * 2
    for page in pages:
        used = {one[1:] for one in page.xpath("//@href")}
        used |= {name for value in page.xpath("//@clip-path") for name in re.findall(r"url\(#([^)]+)\)", value)}
        assert used and used <= set(page.xpath("//@id"))
        assert page.xpath("//svg/@aria-label") == [ODD]


def test_a_label_that_looks_like_an_identifier_stays_as_it_is():
    label = 'url(#b) id="b'
    svg = bars("b", label, [label], [50.0])
    figure = PageFigure("f", Markup(svg), PageTable("t", ("a",), [("b",)]))
    page = html.fragment_fromstring(fragment("a", "b", [], [PageSection("s", "t", figures=[figure])]))
    assert label in page.xpath("//svg//text/text()")
    assert page.xpath("//svg/@aria-label") == [label]
