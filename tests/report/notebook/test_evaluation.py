"""What a notebook shows of an evaluation: what was measured, also once it was stored."""

from __future__ import annotations

import pickle

import pytest
from lxml import html

import shoal
from shoal.measure import MEASURES, Evaluation
from shoal.report.wording import value_text


def parsed(evaluation: Evaluation) -> html.HtmlElement:
    return html.fragment_fromstring(evaluation._repr_html_())


def rows_of(page: html.HtmlElement) -> dict[str, tuple[str, str]]:
    return {
        row.xpath("string(.//summary)"): (row.xpath("string(td[1])").strip(), row.xpath("string(td[2])").split()[-1])
        for row in page.xpath("//table[contains(@class, 'measures')]/tbody/tr")
    }


@pytest.fixture(scope="module")
def release() -> shoal.Release:
    return shoal.protect(shoal.datasets.households(90, seed=4)[["age", "wage_income", "tax"]], 4, seed=1)


def test_every_measure_is_a_row_with_its_value_and_meaning(census):
    page = parsed(census.evaluation)
    expected = {
        MEASURES[name].about.title: (value_text(float(value), MEASURES[name].about.unit), MEASURES[name].about.better)
        for name, value in census.evaluation.measured.items()
    }
    assert rows_of(page) == expected
    for name in census.evaluation.measured:
        assert MEASURES[name].about.reference in page.text_content()


def test_nothing_more_is_measured(release, monkeypatch):
    monkeypatch.setattr(shoal.measure.evaluation, "whole_linkage", None)  # nothing may call it
    found = release.evaluate(measures=["sse", "clustering_similarity"])
    page = parsed(found)
    assert set(rows_of(page)) == {MEASURES[name].about.title for name in ("sse", "clustering_similarity")}
    assert "Every record is the same as at least 3 others" in page.xpath("string(p[@class='verdict'])")
    assert "headline" not in vars(found)
    assert "not asked for" not in page.text_content()


def test_one_without_measures_is_shown_too(release):
    page = parsed(release.evaluate(measures=[]))
    assert "nothing was measured" in page.xpath("string(p[@class='verdict'])")
    assert not page.xpath("//table")


def test_one_that_was_stored_is_shown_without_its_files(release):
    found = release.evaluate(quick=True)
    stored = pickle.loads(pickle.dumps(found))
    assert rows_of(parsed(stored)) == rows_of(parsed(found))


def test_options_and_reasons_are_said(release):
    options = {"distance_linkage": {"direction": "masked-to-original"}}
    found = release.evaluate(measures=["distance_linkage", "categories_changed"], options=options)
    page = parsed(found)
    assert "Distance-based record linkage (direction = masked-to-original)" in rows_of(page)
    assert found.not_applicable["categories_changed"] in page.xpath("string(./details[last()])")
