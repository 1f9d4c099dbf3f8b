"""Attacks on the studio's own pages, in a real browser: hostile files, names and addresses.

Those on the wire are in `test_guard.py` (tokens, Host, Origin, WebSockets), `test_uploads.py`, `test_server.py` and
`test_private_folder.py`.
"""

from __future__ import annotations

import zipfile
from pathlib import Path

import pandas as pd
import pyreadstat
import pytest
from playwright.sync_api import expect

from studio.browser.visitor import STEPS, Visitor
from studio.running import REAL, RunningStudio, running_studio

HOSTILE = '<img src=x onerror="window.ran = 1">'


def uploads_of(studio: RunningStudio) -> list[Path]:
    return sorted((studio.folder / "uploads").iterdir())


@pytest.mark.parametrize("query", ["", "?token=", "?token=wrong", "?ticket=wrong"])
def test_without_the_token_the_browser_gets_nothing_but_a_line(chromium, studio, query):
    with chromium.new_context() as context:
        page = context.new_page()
        answer = page.goto(f"{studio.origin}/{query}")
        assert answer.status == 403
        assert page.locator("input, script").count() == 0
        assert "shoal studio" in page.inner_text("body")
        assert context.cookies() == []


def zip_bomb(path: Path, gigabytes: int) -> Path:
    """Write a spreadsheet of some megabytes that would become gigabytes of rows."""
    part = b"<row><c><v>1</v></c></row>" * 40_000
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        with archive.open("xl/worksheets/sheet1.xml", "w", force_zip64=True) as sheet:
            sheet.write(b'<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>')
            for _ in range(gigabytes * 1000):
                sheet.write(part)
            sheet.write(b"</sheetData></worksheet>")
        for name in ("[Content_Types].xml", "_rels/.rels", "xl/workbook.xml", "xl/_rels/workbook.xml.rels"):
            archive.writestr(name, "<x/>")
    return path


def test_a_zip_bombed_spreadsheet_is_refused_and_the_file_before_stays_open(visitor, survey, tmp_path):
    visitor.upload(survey)
    visitor.send(zip_bomb(tmp_path / "bomb.xlsx", 1))
    refused = visitor.page.locator("#data-refused .notice-problem")
    expect(refused).to_contain_text("bomb.xlsx")
    expect(refused).to_contain_text(survey.name)  # still open
    assert str(visitor.studio.folder) not in refused.inner_text()
    assert [one.suffix for one in uploads_of(visitor.studio)] == [".csv"]
    visitor.open_step("Variables")
    visitor.use("interviewed", "identifier")


def test_a_2_gb_file_is_refused_at_once_with_the_limit(visitor, tmp_path):
    large = tmp_path / "large.csv"
    with large.open("wb") as file:
        file.truncate(2_000_000_000)  # holes: nothing is on the disk
    before = uploads_of(visitor.studio)
    visitor.send(large)
    status = visitor.find("data-status")
    expect(status).to_contain_text("500 MB")
    expect(status).to_contain_text("--max-upload")
    assert uploads_of(visitor.studio) == before


@pytest.mark.parametrize("name", ["../../../etc/passwd.csv", "..\\..\\x.csv", f"{HOSTILE}.csv"])
def test_a_file_name_is_a_text_and_never_a_path(visitor, name):
    content = b"age,income\n" + b"".join(b"%d,%d\n" % (age, 100 * age) for age in range(20, 60))
    visitor.send({"name": name, "mimeType": "text/csv", "buffer": content})
    shown = name.replace("\\", "/").rpartition("/")[2]
    expect(visitor.find("headline-facts")).to_contain_text(shown)
    (stored,) = uploads_of(visitor.studio)
    assert stored.name.startswith("upload-") and stored.read_bytes() == content
    assert visitor.page.evaluate("window.ran") is None


def with_names(folder: Path) -> Path:
    """Write a CSV file with markup in names and values."""
    records = range(60)
    named = pd.DataFrame(
        {
            f"{HOSTILE}age": [20 + one % 7 for one in records],
            "'\"><script>window.ran = 1</script>": [one % 3 for one in records],
            "group": [HOSTILE if one % 2 else "</td></table><script>window.ran = 1</script>" for one in records],
            "income": [1000.5 + 13 * one for one in records],
        }
    )
    named.to_csv(folder / "named.csv", index=False)
    return folder / "named.csv"


def with_labels(folder: Path) -> Path:
    """Write an SPSS file with markup in labels of columns and of values."""
    records = range(60)
    labelled = pd.DataFrame({"sex": [1.0 + one % 2 for one in records], "wage": [100.0 + one for one in records]})
    pyreadstat.write_sav(
        labelled,
        folder / "labelled.sav",
        column_labels=[HOSTILE, "<script>window.ran = 1</script>"],
        variable_value_labels={"sex": {1: HOSTILE, 2: "<b>two</b>"}},
    )
    return folder / "labelled.sav"


def walk(visitor: Visitor) -> None:
    for step in STEPS:
        visitor.open_step(step)
        visitor.settled()
        assert visitor.page.locator("img[src=x], main script, main b, header script").count() == 0
    assert visitor.page.evaluate("window.ran") is None


@pytest.mark.parametrize("write", [with_names, with_labels])
def test_markup_in_names_labels_and_values_is_shown_and_never_run(visitor, tmp_path, write):
    visitor.upload(write(tmp_path))
    expect(visitor.find("data-contents")).to_contain_text("<")
    visitor.open_step("Keys")
    key = visitor.page.locator("#keys-chosen .chip input").first
    expect(key).to_be_visible()
    if not key.is_checked():
        visitor.decide(key.check)
    visitor.open_step("Rules")
    visitor.find("rules-rule_box").fill(f"{HOSTILE} >= 0")
    expect(visitor.page.locator("#rules-trial .notice")).to_be_visible()
    visitor.open_step("Protect")
    visitor.set_k(5)
    visitor.protect(1)
    title = visitor.find("protect-attempts-name_1")
    title.fill(HOSTILE)
    title.press("Enter")
    expect(visitor.find("headline-facts")).to_contain_text(HOSTILE)
    walk(visitor)
    visitor.reload()
    walk(visitor)


def test_two_studios_in_one_browser_keep_their_files_apart(visitor, survey, tmp_path):
    with running_studio(tmp_path / "other", program=REAL) as beside:
        other = Visitor(visitor.page.context.new_page(), beside)
        other.enter()
        other_file = tmp_path / "other.csv"
        other_file.write_text("a,b\n" + "".join(f"{one},{2 * one}\n" for one in range(50)))
        visitor.upload(survey)
        other.upload(other_file)
        for one, own in ((visitor, survey), (other, other_file)):
            one.reload()
            expect(one.find("headline-facts")).to_contain_text(own.name)
            assert len(one.page.context.cookies(one.studio.origin)) == 2  # cookies know no ports; studios do
        assert other.errors == []
