"""The module that releases, comparisons and searches ask for their reports."""

from __future__ import annotations

import pytest

import shoal
from shoal.report.page.html import report_html
from shoal.report.writing import (
    comparison_html,
    release_html,
    tuning_html,
    write_comparison_report,
    write_release_report,
    write_tuning_map,
    write_tuning_report,
)


def test_the_file_of_a_release_is_its_page(synthetic, tmp_path):
    for audience in ("internal", "public"):
        page = release_html(synthetic.release, audience, synthetic.evaluation)
        assert page == report_html(synthetic.summary(audience))
        write_release_report(synthetic.release, tmp_path / "r.html", audience, synthetic.evaluation)
        assert (tmp_path / "r.html").read_text(encoding="utf-8") == page
    assert [one.name for one in tmp_path.iterdir()] == ["r.html"]


@pytest.mark.parametrize("how", ["compare", "tune"])
def test_the_file_of_many_releases_is_their_page(how, tmp_path):
    table = shoal.datasets.households(80, seed=1)[["age", "wage_income", "tax"]]
    if how == "compare":
        comparison = shoal.compare(table, [3, 5], ["mdav"])
        page = comparison_html(comparison, "Title & more")
        write_comparison_report(comparison, tmp_path / "r.html", "Title & more")
    else:
        tuning = shoal.tune(table, methods=["mdav"], k=[3, 5], trials=2)
        page = tuning_html(tuning, "Title & more")
        write_tuning_report(tuning, tmp_path / "r.html", "Title & more")
        write_tuning_map(tuning, tmp_path / "map.svg")
        assert (tmp_path / "map.svg").read_text(encoding="utf-8").startswith("<?xml")
    assert (tmp_path / "r.html").read_text(encoding="utf-8") == page
    assert "Title &amp; more" in page
