"""The page shows the facts, and is one file."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import jsonschema
import numpy as np
import pandas as pd
import pytest
from lxml import html

import shoal
from shoal.__main__ import main
from shoal.errors import ParameterError, WriteError
from shoal.measure import MEASURES
from shoal.report.facts.collect import Summary, summarize, summary_schema
from shoal.report.page.html import report_html, write_report

SECTIONS = [
    "scenarios",
    "risk",
    "utility",
    "score",
    "distributions",
    "correlations",
    "groups",
    "counts",
    "losses",
    "rules",
    "linkage",
    "attack",
    "moments",
    "variables",
    "left-out",
    "method",
    "references",
    "versions",
]
ODD_NAMES = [
    "<script>alert(1)</script>",
    """a"b'c&d""",
    "😀👩‍👩‍👧 income",
    "الدخل السنوي",
    "x" * 300,
    r"$\frac{a}{b}$",
    "tab\tand\x1bescape",
    "{{ 7 * 7 }}",
    "\u202eturned round",
]


def parsed(page: str) -> html.HtmlElement:
    return html.document_fromstring(page)


def sections_in(page: str) -> list[str]:
    return [one.get("id") for one in parsed(page).xpath("//main/section[@id]")]


# What a reader sees


def test_the_sections_stand_in_their_order(census, ruled):
    for measured in (census, ruled):
        found = sections_in(report_html(measured.summary("internal")))
        assert found == [one for one in SECTIONS if one in found]
    assert set(SECTIONS) - set(sections_in(report_html(census.summary("internal")))) == {"rules"}
    assert "rules" in found


def test_what_was_not_computed_is_not_there_and_leaves_no_empty_box(synthetic):
    whole = synthetic.summary("internal")
    bare = whole.model_copy(
        update={
            "correlations": None,
            "moments": [],
            "linkage_by_known": [],
            "attack": None,
            "groups": [],
            "measures": [],
            "left_out": {},
            "plan": None,
            "notes": [],
            "variables": [one.model_copy(update={"shape": None, "loss": None}) for one in whole.variables],
        }
    )
    assert sections_in(report_html(bare)) == ["scenarios", "variables", "references", "versions"]
    for summary in (whole, bare):
        page = parsed(report_html(summary))
        for section in page.xpath("//main/section"):
            assert section.xpath("*[not(self::h2)]")
        assert not page.xpath("//table[not(.//td)] | //ul[not(li)] | //dl[not(div)] | //figure[not(.//svg)]")


@pytest.mark.parametrize("audience", ["internal", "public"])
def test_every_figure_has_its_numbers_beside_it(census, audience):
    page = parsed(report_html(census.summary(audience)))
    figures = page.xpath("//figure")
    assert len(figures) == {"internal": 13 + 3 + 4, "public": 13 + 2 + 3}[audience]
    for figure in figures:
        beside = figure.xpath(".//details//tbody/tr") or figure.getparent().xpath(".//details//tbody/tr")
        assert beside


def test_the_numbers_are_the_facts(census):
    summary = census.summary("internal")
    page = parsed(report_html(summary))
    rows = page.xpath("//section[@id='losses']//tbody/tr")
    shown = {row.xpath("string(th)"): row.xpath("string(td)") for row in rows}
    assert shown == {
        one.name: f"{one.loss:.2f} %" if one.loss < 9.995 else f"{one.loss:.1f} %" for one in summary.variables
    }
    measures = page.xpath("//section[@id='risk' or @id='utility' or @id='score']//tbody/tr")
    assert {row.xpath("string(th)") for row in measures} == {one.title for one in summary.measures}
    for row in measures:
        about = next(one.about for one in MEASURES.values() if one.about.title == row.xpath("string(th)"))
        assert row.xpath("string(td[2])").split()[-1] == about.better
        assert about.reference in row.xpath("string(td[3])")


def test_the_line_is_drawn_where_the_numbers_say(census):
    """The path of the masked file, read back from the figure, has the shares of the summary."""
    summary = census.summary("public")
    figure = parsed(report_html(summary)).xpath("//section[@id='distributions']//figure")[0]
    path = figure.xpath(".//svg/path[contains(@style, 'stroke: var(--masked)')]/@d")[0]
    heights = [float(place.split()[1]) for place in re.findall(r"[ML]([^MLz]+)", path)]
    shares = np.array(summary.variables[0].shape.masked)
    tops = max(heights) - np.array(heights[1:-1:2])
    np.testing.assert_allclose(tops / tops.max(), shares / shares.max(), atol=0.002)


def test_rules_and_their_status(ruled):
    page = parsed(report_html(ruled.summary("public")))
    rows = page.xpath("//section[@id='rules']//tbody/tr")
    assert [row.xpath("string(td[2])") for row in rows] == ["✓ holds", "✓ holds"]
    assert "2 of 2 rules hold" in page.xpath("string(//section[@id='rules'])")
    broken = ruled.summary("public")
    broken = broken.model_copy(update={"rules": [broken.rules[0].model_copy(update={"holds": False})]})
    assert "✗ broken" in parsed(report_html(broken)).xpath("string(//section[@id='rules'])")


def test_names_that_are_code_or_not_latin_are_text(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({name: rng.normal(size=60) for name in ODD_NAMES})
    frame["<b>kind"] = rng.choice(["<img src=x onerror=alert(1)>", "y" * 200, "שלום", '"'], size=60)
    release = shoal.protect(frame, 3, columns=list(frame.columns), seed=0)
    evaluation = release.evaluate(quick=True)
    for audience in ("internal", "public"):
        release.report(tmp_path / "r.html", audience, evaluation)
        text = (tmp_path / "r.html").read_text(encoding="utf-8")
        page = parsed(text)
        assert not page.xpath("//script | //img | //b | //@onerror")
        assert "49" not in page.xpath("string(//section[@id='variables']//tr[contains(., '7 * 7')]/th)")
        shown = page.xpath("//section[@id='variables']//tbody/tr/th")
        for name, cell in zip([*ODD_NAMES, "<b>kind"], shown, strict=True):
            whole = cell.xpath(".//@title")
            plain = "".join(letter if letter not in "\t\x1b" else " " for letter in name)
            assert (whole[0] if whole else cell.text_content()) == plain
            assert len(cell.text_content()) <= 60
        labels = page.xpath("//section[@id='losses']//svg//text/text()")
        assert r"$\frac{a}{b}$" in labels  # not set as mathematics


def test_three_hundred_variables_stay_one_page_that_opens():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.normal(size=(30, 300)), columns=[f"variable_{place}" for place in range(300)])
    release = shoal.protect(frame, 3, blocks=30, seed=0)
    summary = summarize(release, "internal", release.evaluate(quick=True))
    page = report_html(summary)
    assert len(page) < 1_500_000
    figures = parsed(page).xpath("//section[@id='distributions']//figure")
    worst = sorted(summary.variables, key=lambda one: -one.loss)[:24]
    assert [figure.xpath("string(.//strong)") for figure in figures] == [one.name for one in worst]
    assert "The 24 of 300 protected variables with the largest loss" in page
    assert len(parsed(page).xpath("//section[@id='variables']//details//tbody/tr")) == 300


def test_a_large_file_is_drawn_in_bins():
    rng = np.random.default_rng(1)
    small, large = (
        shoal.protect(pd.DataFrame(rng.normal(size=(n, 2)), columns=["a", "b"]), 3, seed=0) for n in (300, 6000)
    )
    pages = [report_html(summarize(one, "internal", one.evaluate(quick=True))) for one in (small, large)]
    assert len(pages[1]) < 1.1 * len(pages[0])


# One file that fetches nothing


@pytest.mark.parametrize("audience", ["internal", "public"])
@pytest.mark.parametrize("which", ["census", "survey", "synthetic"])
def test_nothing_is_fetched_and_nothing_runs(which, audience, request):
    text = report_html(request.getfixturevalue(which).summary(audience))
    page = parsed(text)
    policy = page.xpath("//meta[@http-equiv='Content-Security-Policy']/@content")
    assert policy == ["default-src 'none'; style-src 'unsafe-inline'; img-src data:"]
    assert not page.xpath("//script | //link | //iframe | //object | //embed | //@src | //@onclick | //base")
    assert all(one.startswith("#") for one in page.xpath("//@href"))
    assert set(re.findall(r"url\((.)", text)) <= {"#"}
    assert "@import" not in text
    assert set(re.findall(r"https?://[^\"' )<]+", text)) <= {"http://www.w3.org/2000/svg"}


def test_identifiers_are_there_once_and_lead_somewhere(census):
    page = parsed(report_html(census.summary("internal")))
    names = page.xpath("//@id")
    assert len(names) == len(set(names))
    used = {one[1:] for one in page.xpath("//@href")}
    used |= {name for value in page.xpath("//@clip-path") for name in re.findall(r"#([^)]+)", value)}
    used |= set(page.xpath("//@aria-labelledby"))
    assert used <= set(names)


def test_the_same_facts_give_the_same_bytes(survey):
    summary = survey.summary("public")
    again = Summary.model_validate(summary.to_dict())
    assert report_html(summary) == report_html(again)
    assert "<!--" not in report_html(summary)  # where libraries leave the date


@pytest.mark.slow
def test_a_report_is_the_same_where_python_leaves_out_docstrings(tmp_path):
    code = (
        "import sys, shoal\n"
        "table = shoal.datasets.households(60, seed=3)[['age', 'wage_income', 'tax', 'tenure']]\n"
        "release = shoal.protect(table, 4, seed=1)\n"
        "evaluation = release.evaluate(quick=True)\n"
        "for audience in ('internal', 'public'):\n"
        "    release.report(f'{sys.argv[1]}-{audience}.html', audience, evaluation)\n"
    )
    for name, options in (("with", []), ("without", ["-OO"])):
        subprocess.run([sys.executable, *options, "-c", code, tmp_path / name], check=True)
    for audience in ("internal", "public"):
        page = (tmp_path / f"with-{audience}.html").read_bytes()
        assert page == (tmp_path / f"without-{audience}.html").read_bytes()
        text = " ".join(parsed(page.decode()).text_content().split())
        for kind in (shoal.partition.MDAV, shoal.replace.Mean, shoal.replace.Mode):
            assert kind.summary[1:] in text and kind.reference in text


def test_colours_are_those_of_the_page(census):
    """No colour is written into a figure, or it would be wrong in the dark."""
    page = parsed(report_html(census.summary("internal")))
    for style in page.xpath("//svg//@style"):
        assert "#" not in style
    used = set(re.findall(r"var\((--[a-z]+)\)", html.tostring(page, encoding="unicode")))
    css = page.xpath("string(//style)")
    light, dark = css.split("prefers-color-scheme: dark")[:2]
    for name in used:
        assert f"{name}:" in light
        assert f"{name}:" in dark


def test_reporting_libraries_come_with_the_first_report_only():
    code = (
        "import sys, shoal, shoal.cli.app, shoal.flow.release, shoal.report.writing\n"
        "print(*{name.partition('.')[0] for name in sys.modules})"
    )
    loaded = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split()
    assert not {"matplotlib", "jinja2"} & set(loaded)


# Writing it


def test_a_report_is_written_whole_or_not_at_all(synthetic, tmp_path, monkeypatch):
    target = tmp_path / "r.html"
    target.write_text("as it was")

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(Path, "write_text", full)
        with pytest.raises(WriteError, match="the disk is full"):
            write_report(synthetic.summary("internal"), target)
    assert target.read_text() == "as it was"
    assert list(tmp_path.iterdir()) == [target]
    write_report(synthetic.summary("internal"), target)
    assert target.read_text(encoding="utf-8").startswith("<!doctype html>")


def test_the_input_is_never_overwritten_and_wrong_words_are_found_first(survey, tmp_path, monkeypatch):
    monkeypatch.setattr(type(survey.release), "evaluate", None)  # nothing may be measured before
    with pytest.raises(WriteError, match="never overwrites its input"):
        survey.release.report(survey.file)
    with pytest.raises(WriteError, match="does not exist"):
        survey.release.report(tmp_path / "nowhere" / "r.html")
    with pytest.raises(ParameterError, match="audience"):
        survey.release.report(tmp_path / "r.html", audience="everybody")
    survey.release.report(tmp_path / "r.html", evaluation=survey.evaluation)
    assert (tmp_path / "r.html").stat().st_size > 50_000


@dataclass(frozen=True)
class Ran:
    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def run(monkeypatch, capsys):
    """Run a command in this process, which has everything loaded."""

    def run(folder: Path, *command: str) -> Ran:
        monkeypatch.chdir(folder)
        monkeypatch.setattr(sys, "argv", ["shoal", *command])
        with pytest.raises(SystemExit) as stopped:
            main()
        return Ran(stopped.value.code, *capsys.readouterr())

    return run


@pytest.fixture
def folder(tmp_path):
    shoal.write_table(shoal.datasets.households(120, seed=4).drop(columns="household_id"), tmp_path / "data.csv")
    return tmp_path


def test_protect_writes_a_report_beside_the_release(folder, run):
    ran = run(folder, "protect", "data.csv", "-k", "3", "-o", "masked.csv", "--report", "r.html", "--seed", "1")
    assert ran.returncode == 0, ran.stderr
    assert "report      r.html" in ran.stdout
    assert "Protection of data.csv" in (folder / "r.html").read_text(encoding="utf-8")
    for name, what in (("masked.csv", "release"), ("masked.csv.plan.toml", "plan")):
        ran = run(folder, "protect", "data.csv", "-k", "3", "-o", "masked.csv", "--report", name)
        assert ran.returncode == 1
        assert f"cannot be both the {what} and the report" in ran.stderr
    ran = run(folder, "protect", "data.csv", "-k", "3", "-o", "other.csv", "--report", "data.csv")
    assert "never overwrites its input" in ran.stderr
    assert not (folder / "other.csv").exists()


def test_the_command_reports_on_two_files(folder, run):
    assert run(folder, "protect", "data.csv", "-k", "3", "-o", "masked.csv", "-q").returncode == 0
    ran = run(folder, "report", "data.csv", "masked.csv", "--plan", "masked.csv.plan.toml")
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.endswith("written to masked-report.html\n")
    page = (folder / "masked-report.html").read_text(encoding="utf-8")
    assert "Transparency attack" in page
    ran = run(folder, "report", "data.csv", "masked.csv", "--plan", "masked.csv.plan.toml", "--json", "--quick")
    facts = json.loads(ran.stdout)
    jsonschema.Draft202012Validator(summary_schema()).validate(facts)
    assert facts["k"] == 3
    assert (
        0 < next(one["value"] for one in facts["measures"] if one["name"] == "information_loss") < 50
    )  # rows in order
    ran = run(folder, "report", "data.csv", "masked.csv", "--audience", "press")
    assert (ran.returncode, ran.stderr.count("\n")) == (2, 1)
    ran = run(folder, "report", "data.csv", "masked.csv", "--plan", "masked.csv.plan.toml", "--columns", "tax")
    assert "--columns cannot change it" in ran.stderr
    for name in ("data.csv", "masked.csv", "masked.csv.plan.toml"):
        before = (folder / name).read_bytes()
        ran = run(folder, "report", "data.csv", "masked.csv", "--plan", "masked.csv.plan.toml", "-o", name)
        assert ran.returncode == 1
        assert (folder / name).read_bytes() == before
