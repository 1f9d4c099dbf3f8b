"""One number for one thing: every place that shows a number of a release shows the same one.

The places are the JSON of the report and of the evaluation, the page, the terminal, the notebook, and the studio with
its headline and tables.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from lxml import html

from shoal.errors import ShoalWarning
from shoal.measure import key_risk
from shoal.report.facts.collect import summarize
from shoal.report.page.html import report_html
from shoal.report.terminal.evaluation import evaluation_text
from shoal.report.terminal.key_risk import key_risk_text
from shoal.report.terminal.release import release_text
from shoal.studio.decisions import Decisions
from shoal.studio.pages.evaluate.intruder import intruder_table
from shoal.studio.pages.headline import of_attempt
from shoal.studio.tasks.evaluating import report
from shoal.studio.tasks.protecting import attempt, kept_release
from shoal.studio.workspace import Attempt

KEYS = ["sex", "region"]


def people(missing: float) -> pd.DataFrame:
    rng = np.random.default_rng(4)
    frame = pd.DataFrame(
        {
            "sex": rng.choice(["f", "m"], 240),
            "region": rng.choice(["north", "south", "west"], 240),
            "age": rng.integers(18, 90, 240).astype(float),
            "income": rng.gamma(2, 900, 240).round(),
            "rent": rng.gamma(3, 200, 240).round(),
        }
    )
    return frame.mask(rng.random(frame.shape) < missing)


CASES = {
    "complete": (0.0, {"roles": dict.fromkeys(KEYS, "key")}),
    "hardly a complete record": (0.4, {"missing": "fill", "roles": dict.fromkeys(KEYS, "key")}),
    "missing values kept": (0.2, {"missing": "keep", "roles": dict.fromkeys(KEYS, "key")}),
    "drawn": (0.0, {"method": "fuzzy", "columns": ["age", "income", "rent"], "as_is": KEYS}),
}


class Places:
    """What every place shows of one release, by what it is of."""

    def __init__(self, folder: Path, case: str) -> None:
        missing, options = CASES[case]
        people(missing).to_csv(folder / "people.csv", index=False)
        source = {"path": str(folder / "people.csv"), "reading": {}}
        made = attempt(str(folder / "attempt"), source, 4, {"seed": 1, **options})
        self.release, _ = kept_release(str(folder / "attempt"))
        self.evaluation = self.release.evaluate()
        self.attempt = Attempt(number=1, decisions=Decisions(), folder=folder / "attempt", seconds=1.0, **made)
        self.summary = summarize(self.release, "internal", self.evaluation)
        self.pages = {
            "page": html.document_fromstring(report_html(self.summary)),
            "notebook of the release": html.fragment_fromstring(self.release._repr_html_()),
            "notebook of the evaluation": html.fragment_fromstring(self.evaluation._repr_html_()),
            "studio's report": html.fragment_fromstring(report(source, self.attempt.summary)),
            "studio's intruder": html.fragment_fromstring(str(intruder_table(self.attempt.summary, None))),
        }
        written = Path("released.csv")
        self.texts = {
            "terminal of protect": release_text(self.summary, written, None, in_input_order=True),
            "terminal of measure": evaluation_text("a and b", self.evaluation),
        }

    def cards(self, title: str) -> Iterator[tuple[str, str]]:
        for place, page in self.pages.items():
            for card in page.xpath("//div[@class='card']"):
                if card.xpath("string(p[@class='title'])") == title:
                    yield f"{place}: card", card.xpath("string(p[@class='value'])")

    def rows(self, name: str, column: int) -> Iterator[tuple[str, str]]:
        """Give a cell of every table with a row of this name; names of scenarios go on after a colon in the studio."""
        for place, page in self.pages.items():
            for row in page.xpath("//tr"):
                cells = [cell.text_content().strip() for cell in row]
                if cells and re.fullmatch(rf"{re.escape(name)}(:.*)?", cells[0]) and len(cells) > abs(column):
                    yield f"{place}: {name}", cells[column]

    def lines(self, pattern: str) -> Iterator[tuple[str, str]]:
        """Give what a pattern finds in texts, and in what pages say first."""
        said = {
            **self.texts,
            **{place: page.xpath("string(.//p[@class='verdict'])") for place, page in self.pages.items()},
        }
        for place, text in said.items():
            yield from ((place, found) for found in re.findall(pattern, text, flags=re.MULTILINE))

    def studio(self, name: str) -> Iterator[tuple[str, str]]:
        for own, text, _ in of_attempt(self.attempt):
            if own == name:
                yield "studio's headline", text


@pytest.fixture(scope="module", params=list(CASES))
def places(request, tmp_path_factory) -> Places:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShoalWarning)
        return Places(tmp_path_factory.mktemp("release"), request.param)


def assert_all_show(value: float, *shown: Iterator[tuple[str, str]], least: int) -> None:
    """Every text begins with the value, to the digits that it has; there are `least` places at least."""
    found = [one for some in shown for one in some]
    assert len(found) >= least, found
    for place, text in found:
        number = re.match(r"[<≤≥ ]*(-?[\d,]+(?:\.\d+)?)", text)
        assert number is not None, (place, text)
        decimals = len(number[1].partition(".")[2])
        assert float(number[1].replace(",", "")) == pytest.approx(value, abs=0.5001 * 10**-decimals), (
            place,
            text,
            value,
        )


def test_k_and_unique_records(places):
    headline = places.release.headline
    for name, card, column in (("k", "k", -3), ("uniques", "Unique", -2)):
        of_json = [places.evaluation.to_dict()["headline"][name], places.summary.to_dict()["headline"][name]]
        assert of_json == [headline[name]] * 2
        rows = [(place, text) for place, text in places.rows("everything that is released", column)]
        assert_all_show(headline[name], places.cards(card), rows, least=4)
    assert_all_show(headline["k"], places.studio("k, whole records"), places.lines(r"^k  +(?!none)(\d+)"), least=1)
    assert_all_show(
        headline["uniques"],
        places.studio("unique"),
        places.lines(r"^(?:(?:k|unique|alike) +.*?)?(\d+) of 240 records are unique"),
        least=3,
    )


def test_scenarios(places):
    """The studio's table and the report's show the same of every scenario."""
    for name, risk in places.release.evaluate(measures=[]).scenarios.items():
        studio = [(place, text) for place, text in places.rows(name, 1) if place.startswith("studio's intruder")]
        pages = [(place, text) for place, text in places.rows(name, -3) if not place.startswith("studio's intruder")]
        assert_all_show(risk["k"], studio, pages, least=3)
        linked = [(place, text) for place, text in places.rows(name, 3) if place.startswith("studio's intruder")]
        pages = [(place, text) for place, text in places.rows(name, -1) if not place.startswith("studio's intruder")]
        assert_all_show(risk["linkage"], linked, pages, least=3)


def test_linkage(places):
    linkage = places.release.headline["linkage"]
    details = places.evaluation.to_dict()
    assert details["headline"]["linkage"] == details["risk"]["distance_linkage"] == linkage
    assert places.summary.headline.linkage == places.summary.value("distance_linkage") == linkage
    assert details["details"]["transparency_attack"]["linkage"] == pytest.approx(linkage)
    assert_all_show(
        linkage,
        places.cards("Linkage"),
        places.rows("Distance-based record linkage", 1),
        places.rows("found by the nearest released record, by the same variables", 1),
        places.lines(r"^linkage +(\d.*)"),
        places.lines(r"^Distance-based record linkage +(\d.*)"),
        places.studio("linked"),
        least=11,
    )


def test_loss(places):
    loss = places.evaluation.to_dict()["utility"]["information_loss"]
    assert places.summary.value("information_loss") == loss
    assert_all_show(
        loss,
        places.cards("Information loss"),
        places.rows("Information loss", 1),
        places.lines(r"^cost +(?:values moved by )?(\d.*)"),
        places.lines(r"^Information loss +(\d.*)"),
        places.lines(r"information is lost \((.*?) of the variation"),
        places.studio("lost"),
        least=12,
    )


def test_what_an_intruder_finds_who_knows_the_method(places):
    details = places.evaluation.to_dict()
    found, parts = details["risk"]["transparency_attack"], details["details"]["transparency_attack"]
    attack = places.summary.to_dict()["attack"]
    names = ("expected", "best_guess", "certain", "coverage", "false_unique", "linkage")
    assert attack["found"] == places.summary.value("transparency_attack") == found
    assert {name: attack[name] for name in names} == {name: parts[name] for name in names}
    assert found >= places.release.headline["linkage"] and parts["records"] == 240
    assert_all_show(
        found,
        places.cards("Attack"),
        places.rows("Transparency attack", 1),
        places.rows("of the records are found by an intruder who knows the method", 1),
        places.lines(r"^transparency_attack: (.*) of the records are found"),
        places.lines(r"^Transparency attack +(\d.*)"),
        places.lines(r"traced \((.*?) by an intruder who knows the method"),
        places.studio("attack"),
        least=14,
    )
    certain = "one candidate is left, and it is the right record"
    assert_all_show(
        parts["certain"], places.rows(certain, 1), places.lines(r"; (.*) are identified with certainty"), least=3
    )


def test_risk_over_keys(places):
    risk = places.summary.key_risk
    if risk is None:
        pytest.skip("this release has no keys")
    for own, data in ((risk.before, places.release.original), (risk.after, places.release.data)):
        told = key_risk(data, KEYS)
        column = 1 if own is risk.before else 2
        for reading, facts, way in zip((told, told.as_wildcards), own, ("", "as wildcards: "), strict=False):
            assert (facts.k, facts.below["2"], facts.expected) == (reading.k, reading.uniques, reading.expected)
            assert_all_show(reading.k, places.rows(f"{way}k, the fewest records that agree", column), least=2)
            uniques = f"{way}uniques, which no other record agrees with"
            assert_all_show(reading.uniques, places.rows(uniques, column), least=2)
        first = key_risk_text("people.csv", told).split("as wildcards")[0]
        assert f"k = {told.k}, the fewest" in first and f"uniques          {told.uniques:,} record" in first
