"""The same table gives the same bytes, whenever it is written."""

from __future__ import annotations

import datetime
import re
import zipfile
from pathlib import Path

import numpy as np
import pytest

from oracles.sample_tables import LABELS, WRITABLE, every_type
from shoal.write import write_table


@pytest.mark.parametrize("ending", WRITABLE)
def test_the_same_table_gives_the_same_bytes_and_no_file_says_when_it_was_written(tmp_path: Path, ending: str) -> None:
    frame = every_type().assign(x=[0.1, np.nan, 2.5])
    for name in ("one", "two"):
        write_table(frame, tmp_path / f"{name}{ending}", labels=LABELS)
    content = (tmp_path / f"one{ending}").read_bytes()
    assert content == (tmp_path / f"two{ending}").read_bytes()
    if ending in (".sav", ".zsav"):
        assert content[92:109] == b"01 Jan 8000:00:00"
    elif ending == ".dta":
        assert b"<timestamp>\x1101 Jan 1980 00:00</timestamp>" in content
    elif ending == ".xpt":
        assert re.findall(rb"\d\d[A-Z]{3}\d\d:\d\d:\d\d:\d\d", content) == [b"01JAN80:00:00:00"] * 4
    elif ending == ".csv.gz":
        assert content[4:8] == bytes(4)
    elif ending == ".xlsx":
        with zipfile.ZipFile(tmp_path / f"one{ending}") as archive:
            assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
            assert b"1980-01-01T00:00:00Z" in archive.read("docProps/core.xml")
            assert str(datetime.datetime.now().year).encode() not in archive.read("docProps/core.xml")
