"""What a notebook shows of comparisons and searches: the map, and the table of the page."""

from __future__ import annotations

from dataclasses import replace

import pytest
from lxml import html

import shoal


@pytest.fixture(scope="module")
def table():
    return shoal.datasets.households(80, seed=1)[["age", "wage_income", "tax"]]


@pytest.fixture(scope="module")
def comparison(table) -> shoal.Comparison:
    return shoal.compare(table, [3, 5], ["mdav", "ipso"])


@pytest.fixture(scope="module")
def tuning(table) -> shoal.Tuning:
    return shoal.tune(table, methods=["mdav"], k=[3, 5], trials=4)


def parsed(result) -> html.HtmlElement:
    return html.fragment_fromstring(result._repr_html_())


def opened(page: html.HtmlElement) -> list[str]:
    return page.xpath("./details[@open]/summary/text()")


def test_a_comparison_shows_its_map_and_its_rows(comparison):
    page = parsed(comparison)
    assert opened(page) == ["Risk and loss", "Methods"]
    assert len(page.xpath("//svg")) == 1
    rows = page.xpath("./details[summary = 'Methods']//tbody/tr")
    assert [row.xpath("string(th)") for row in rows] == [row.method for row in comparison.rows]
    assert [row.xpath("string(td[5])") for row in rows] == [f"{row.score:.2f}" for row in comparison.rows]


def test_a_search_shows_its_map_and_its_front(tuning):
    page = parsed(tuning)
    assert opened(page) == ["Risk and loss", "The Pareto front"]
    rows = page.xpath("./details[summary = 'The Pareto front']//tbody/tr/th")
    assert [int(row.text.split()[0]) for row in rows] == [trial.number for trial in tuning.front]


def test_a_search_without_a_release_is_shown_too(tuning):
    page = parsed(replace(tuning, trials=()))
    assert page.xpath("string(p[@class='verdict'])") == (
        "Of 0 releases that were evaluated, none has both a risk and a loss."
    )
    within = parsed(replace(tuning, max_risk=1e-6))
    assert "none has both a risk and an attack within 1e-06 %" in within.xpath("string(p[@class='verdict'])")


def test_methods_without_a_score_are_shown_too(comparison):
    rows = tuple(replace(row, score=None, risk=None, loss=None) for row in comparison.rows)
    page = parsed(replace(comparison, rows=rows))
    assert page.xpath("string(p[@class='verdict'])") == "3 releases were compared."
    assert not page.xpath("//svg")
