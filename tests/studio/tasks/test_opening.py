"""Opening files in the studio: their columns, how safe they are, and one clear line if they cannot be read."""

from __future__ import annotations

import zipfile

import pandas as pd
import pytest

import shoal
from shoal.errors import ReadError
from shoal.studio.tasks.opening import FileFacts, as_it_is, opened


def test_columns_are_described_as_shoal_describes_them(tmp_path):
    path = tmp_path / "upload-1.csv"
    frame = shoal.datasets.households(60, seed=1, missing=0.1)
    frame["score"] = [99999 if row % 7 == 0 else row for row in range(60)]
    frame.to_csv(path, index=False)
    found = opened(str(path), "mine.csv", {})
    assert found["records"] == 60
    described = shoal.describe.describe_table(str(path))
    assert [(one.name, one.kind, one.role, one.distinct, one.missing) for one in found["variables"]] == [
        (one.name, one.kind, one.role, one.distinct, one.missing) for one in described
    ]
    assert {one.name: one.missing_codes for one in found["variables"]}["score"] == (99999,)
    assert found["suggested"].of_column("roles", "household_id") == "identifier"
    assert found["suggested"].k is None


def test_whole_numbers_that_all_differ_are_pointed_out_and_decided_by_the_user(tmp_path):
    """A person's number inside a household is no run of numbers; an income may be as different, and is none."""
    path = tmp_path / "upload-1.csv"
    persons = [100 * household + number for household in range(1, 41) for number in range(1, 2 + household % 3)]
    frame = pd.DataFrame({"rb030": persons, "income": [1000.25 + 7.5 * row for row in range(len(persons))]})
    frame["size"] = [row % 4 for row in range(len(persons))]
    frame.to_csv(path, index=False)
    found = {one.name: one for one in opened(str(path), "mine.csv", {})["variables"]}
    assert found["rb030"].reason == "whole numbers, every one different"
    assert (found["rb030"].kind, found["rb030"].question) == ("continuous", "")
    assert "different" not in found["income"].reason + found["size"].reason


def bomb(path):
    """A spreadsheet whose sheet is a gigabyte of zeros, packed into a megabyte."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        with archive.open("xl/worksheets/sheet1.xml", "w", force_zip64=True) as sheet:
            for _ in range(1024):
                sheet.write(b"0" * 2**20)


BROKEN = {
    "empty.csv": b"",
    "header.csv": b"a,b,c\n",
    "junk.csv": bytes(range(256)) * 40,
    "junk.xlsx": bytes(range(256)) * 40,
    "junk.parquet": b"PAR1" + bytes(range(256)),
    "junk.dta": b"\x00" * 500,
    "junk.sav": b"$FL2" + b"\xff" * 500,
    "ragged.csv": b"a,b\n1,2\n1,2,3\n",
}


@pytest.mark.parametrize("name", [*BROKEN, "bomb.xlsx"])
def test_a_file_that_cannot_be_read_is_one_line_with_its_own_name(tmp_path, name):
    path = tmp_path / f"upload-0123456789{''.join(name.partition('.')[1:])}"
    if name == "bomb.xlsx":
        bomb(path)
    else:
        path.write_bytes(BROKEN[name])
    with pytest.raises(ReadError) as refused:
        opened(str(path), name, {})
    line = str(refused.value)
    assert name in line
    assert "upload-" not in line and str(tmp_path) not in line and "\n" not in line


def test_a_wrong_delimiter_makes_one_column(tmp_path):
    path = tmp_path / "upload-2.csv"
    pd.DataFrame({"a": [1, 2], "b": [3, 4]}).to_csv(path, index=False)
    assert [one.name for one in opened(str(path), "t.csv", {"delimiter": ";"})["variables"]] == ["a,b"]


@pytest.fixture
def people(tmp_path) -> dict:
    frame = pd.DataFrame(
        {
            "person": ["a", "b", "c", "d", "e"],
            "house": [1, 1, 2, 3, 3],
            "age": [30, 30, 30, 40, 50],
            "weight": [1.5, 2.5, 3.5, 4.5, 5.5],
        }
    )
    path = tmp_path / "people.csv"
    frame.to_csv(path, index=False)
    return {"path": str(path), "reading": {}}


def test_every_column_counts_until_it_is_decided(people):
    assert as_it_is(people, {}) == FileFacts(k=1, uniques=5, units=None, rules=0, holding=0)


def test_identifiers_weights_and_units_do_not_count(people):
    options = {"roles": {"person": "identifier", "house": "identifier"}, "weights": "weight"}
    assert as_it_is(people, options) == FileFacts(k=1, uniques=2, units=None, rules=0, holding=0)
    # Behind 30 are two houses; 40 and 50 are both of the third.
    with_unit = {"roles": {"person": "identifier"}, "unit": "house", "weights": "weight"}
    assert as_it_is(people, with_unit) == FileFacts(k=1, uniques=1, units=3, rules=0, holding=0)


def test_rules_that_hold_in_the_file_are_counted(people):
    known = as_it_is(people, {"edits": ["age >= 30", "age < 50", "weight > 0"]})
    assert (known.rules, known.holding) == (3, 2)
    assert as_it_is(people, {"edits": ["nothing > 0"]}).holding is None


def test_a_file_of_identifiers_alone_has_no_k(people):
    roles = dict.fromkeys(["person", "house", "age", "weight"], "identifier")
    assert as_it_is(people, {"roles": roles}).k is None
