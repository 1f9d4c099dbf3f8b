"""The module that releases, comparisons and searches ask for their reports."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import shoal
from shoal.errors import ShoalWarning
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


@pytest.mark.parametrize("audience", ["internal", "public"])
def test_a_column_that_is_suppressed_everywhere_is_reported(audience, tmp_path):
    towns = pd.DataFrame({"town": [f"town {place}" for place in range(12)], "income": np.arange(12.0) ** 2})
    release = shoal.protect(towns, 3, kinds={"town": "nominal"}, categories={"town": "suppress"}, seed=1)
    assert release.data["town"].isna().all()
    release.report(tmp_path / "r.html", audience=audience)
    assert (tmp_path / "r.html").is_file()


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


@pytest.mark.parametrize(
    ("shown", "drawn"),
    [
        (shoal.Release, "release_fragment"),
        (shoal.measure.Evaluation, "evaluation_fragment"),
        (shoal.Comparison, "comparison_fragment"),
        (shoal.Tuning, "tuning_fragment"),
    ],
)
def test_a_cell_of_a_notebook_does_not_fail_where_something_cannot_be_drawn(shown, drawn, monkeypatch):
    def fail(_: object) -> str:
        raise ValueError("a value of the data: 12345")

    monkeypatch.setattr(f"shoal.report.writing.{drawn}", fail)
    with pytest.warns(ShoalWarning) as caught:
        assert shown._repr_html_(object.__new__(shown)) is None
    (warning,) = caught
    assert f"{shown.__name__} is shown as one line" in str(warning.message)
    assert "12345" not in str(warning.message)
    monkeypatch.setattr(f"shoal.report.writing.{drawn}", interrupted)
    with pytest.raises(KeyboardInterrupt):
        shown._repr_html_(object.__new__(shown))


def interrupted(_: object) -> str:
    raise KeyboardInterrupt
