"""What a notebook shows of a release: what holds of it, and nothing that takes long or names few records."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from lxml import html

import shoal
from shoal.errors import DisclosureWarning
from shoal.report.notebook import release as notebook

ODD_NAMES = ["<script>alert(1)</script>", """a"b'c&d""", "الدخل السنوي", "x" * 300, "$y^2$", "{{ 7 * 7 }}"]


def parsed(release: shoal.Release) -> html.HtmlElement:
    return html.fragment_fromstring(release._repr_html_())


def cards(page: html.HtmlElement) -> dict[str, str]:
    return {one.xpath("string(p[@class='title'])"): one.xpath("string(p[@class='value'])") for one in page.xpath(CARDS)}


CARDS = "//div[@class='card']"


def test_it_says_what_holds(keyed):
    release = keyed.release
    page, headline = parsed(release), release.headline
    shown = cards(page)
    assert shown["k"] == str(headline["k"]) and shown["Unique"] == str(headline["uniques"])
    assert shown["Records"] == "600"
    assert float(shown["Linkage"].split()[0]) == pytest.approx(headline["linkage"], abs=0.05)
    rows = {row.xpath("string(th)"): row.xpath("td/text()") for row in page.xpath("//details[1]//tbody/tr")}
    for name, risk in release.evaluate(measures=[]).scenarios.items():
        assert rows[name][:3] == [str(len(risk["columns"])), str(risk["k"]), f"{risk['uniques']:,}"]
    assert [one.text for one in page.xpath("./details/summary")] == [
        "Disclosure scenarios",
        "Distributions, original and masked",
        "Notes",
    ]
    assert page.xpath("./details/@open") == ["", ""]  # distributions are folded
    assert str(release.plan.seed) not in release._repr_html_()


def test_what_is_not_protected_is_named(survey):
    notes = parsed(survey.release).xpath("string(./details[last()])")
    outcome = survey.release.plan.outcome
    assert f"NOT PROTECTED ({len(outcome.unchanged)}): region, household_size, education" in notes
    assert f"On these, {outcome.unique_by_unchanged} of 900 records are unique." in notes
    assert "Dropped: household_id." in notes


def test_every_step_of_a_chain_is_told(keyed, ruled):
    bullets = parsed(keyed.release).xpath("./details[last()]//li")
    told = [one.text_content().strip() for one in bullets]
    assert re.fullmatch(
        "Step 1: grouped by mdav:.*, replaced by .*, k=5: wage_income, region, education, age.", told[0]
    )
    assert re.fullmatch("Step 2: .*, replaced by pram:pd=0.4.*, no k is promised: tenure.", told[1])
    alone = parsed(ruled.release).xpath("./details[last()]//li")[0].text_content()
    assert alone.startswith("8 of 9 columns are protected: grouped by mdav:") and alone.endswith("k=4 was asked for.")


def test_of_a_large_table_only_what_is_known_is_measured(synthetic, monkeypatch):
    table = shoal.datasets.households(60, seed=4)[["age", "wage_income", "tax"]]
    release = shoal.protect(table, 4, seed=1)
    assert "Linkage" in cards(parsed(release))
    monkeypatch.setattr(notebook, "MOST_RECORDS", 59)
    monkeypatch.setattr(shoal.measure.evaluation, "whole_linkage", None)  # nothing may call it
    page = parsed(release)
    assert "Linkage" not in cards(page) and cards(page)["k"] == "4"
    assert "linkage is measured when you ask for it: release.headline" in page.text_content()
    assert not page.xpath("//svg") and "may see the original" not in page.text_content()
    release.headline  # noqa: B018
    page = parsed(release)
    assert "Linkage" in cards(page) and "when you ask" not in page.text_content()


def test_no_measure_is_taken_that_takes_long(synthetic, monkeypatch):
    asked = []
    evaluate = shoal.Release.evaluate
    monkeypatch.setattr(
        shoal.Release, "evaluate", lambda self, **options: asked.append(options) or evaluate(self, **options)
    )
    monkeypatch.setattr("shoal.report.facts.proven.with_bounds", None)
    parsed(synthetic.release)
    assert asked == [{"measures": ["information_loss", "distance_linkage", "transparency_attack"]}]


def test_no_bin_and_no_category_is_of_fewer_than_k_records():
    rng = np.random.default_rng(5)
    common = rng.choice(["north", "south", "east"], size=117)
    table = pd.DataFrame({"x": rng.lognormal(size=120), "place": [*common, "lighthouse", "lighthouse", "mill"]})
    release = shoal.protect(table, 4, seed=0)
    text = release._repr_html_()
    assert "lighthouse" not in text and "mill" not in text and "north" in text
    shares = {}
    for row in html.fragment_fromstring(text).xpath("//figure//tbody/tr"):
        shares.setdefault(len(row), []).append([float(cell.rstrip(" %")) for cell in row.xpath("td/text()")[-2:]])
    for pairs in shares.values():
        assert all(share == 0 or share >= 100 * 4 / 120 - 0.01 for pair in pairs for share in pair)
        assert np.allclose(np.sum(pairs, axis=0), 100, atol=0.3)
    assert "Clear this output before you pass the notebook on" in text


def test_names_of_the_data_are_text():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({name: rng.normal(size=60) for name in ODD_NAMES})
    frame["<b>kind"] = rng.choice(["<img src=x onerror=alert(1)>", "y" * 200, '"'], size=60)
    with pytest.warns(DisclosureWarning, match="NOT PROTECTED"):
        release = shoal.protect(frame, 3, columns=[*ODD_NAMES[1:], "<b>kind"], as_is=[ODD_NAMES[0]], seed=0)
    page = parsed(release)
    assert not page.xpath("//script | //img | //b | //@onerror | //link | //iframe | //@src")
    assert "49" not in [one.strip() for one in page.xpath("//bdi/text()")]
    assert "<script>alert(1)</script>" in page.xpath("//bdi/text()")
    assert set(re.findall(r"https?://[^\"' )<]+", release._repr_html_())) <= {"http://www.w3.org/2000/svg"}


@pytest.mark.parametrize("which", ["census", "survey", "ruled", "synthetic", "keyed"])
def test_every_release_is_shown_and_its_identifiers_are_its_own(which, request):
    release = request.getfixturevalue(which).release
    pages = [parsed(release), parsed(release)]
    counted = Counter(name for page in pages for name in page.xpath("//@id"))
    assert max(counted.values(), default=1) == 1
    for page in pages:
        assert page.xpath("string(p[@class='verdict'])").endswith(".")
        assert len(page.xpath("//figure")) <= 12
        assert not page.xpath("//table[not(.//td)] | //ul[not(li)] | //figure[not(.//svg)]")


def test_it_leaves_the_release_as_it_was(synthetic):
    before = synthetic.release.data.copy()
    synthetic.release._repr_html_()
    pd.testing.assert_frame_equal(synthetic.release.data, before)
