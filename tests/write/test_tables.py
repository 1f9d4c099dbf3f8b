"""The input is never overwritten, and what cannot be written is found before the work."""

from __future__ import annotations

import os
from pathlib import Path

import pandas as pd
import pytest

from oracles.sample_tables import WRITABLE
from shoal.errors import WriteError
from shoal.read import as_table, read_table
from shoal.write import (
    refuse_targets,
    refuse_to_overwrite,
    refuse_unwritable,
    write_table,
)


@pytest.mark.parametrize("ending", WRITABLE)
def test_the_file_a_frame_was_read_from_is_not_overwritten(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"t{ending}"
    write_table(pd.DataFrame({"a": [1, 2]}), path)
    before = path.read_bytes()
    for data in (read_table(path), as_table(path), as_table(path).to_native(), read_table(path).assign(b=[1, 2])):
        with pytest.raises(WriteError, match="never overwrites its input"):
            write_table(data, path)
    assert path.read_bytes() == before
    write_table(read_table(path), tmp_path / "other.csv")


@pytest.mark.parametrize("how", ["path", "relative", "symbolic link", "hard link"])
def test_the_input_is_never_overwritten(tmp_path: Path, how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    target, other = tmp_path / "t.csv", tmp_path / "other.csv"
    target.write_text("a\n1\n")
    if how == "symbolic link":
        other.symlink_to(target)
    elif how == "hard link":
        os.link(target, other)
    elif how == "relative":
        monkeypatch.chdir(target.parent)
        other = Path("t.csv")
    else:
        other = target
    table = as_table(target)
    for source in (table, table.replaced({}, {}, drop=[]), as_table(table.to_native())):
        with pytest.raises(WriteError, match="never overwrites its input"):
            refuse_to_overwrite(source, other)
        refuse_to_overwrite(source, target.with_name("new.csv"))
    refuse_to_overwrite(as_table(pd.DataFrame({"a": [1]})), target)


def test_no_two_files_of_a_command_are_the_same(tmp_path: Path) -> None:
    table = as_table(pd.DataFrame({"a": [1]}))
    plan, release = tmp_path / "plan.toml", tmp_path / "release.csv"
    refuse_targets(table, [("release", release, None), ("plan", plan, ".toml"), ("report", None, ".html")])
    with pytest.raises(WriteError, match=r"cannot be both the release and the report\. Give the report another name"):
        refuse_targets(table, [("release", release, None), ("report", tmp_path / "." / "release.csv", "")])
    with pytest.raises(WriteError, match="cannot be both the plan that is read and the release"):
        refuse_targets(table, [("release", release, None)], read=[("plan", release), ("rules", None)])


def test_the_name_of_a_file_says_what_it_is(tmp_path: Path) -> None:
    table = as_table(pd.DataFrame({"a": [1]}))
    refuse_unwritable(tmp_path / "page.html", ".html")
    refuse_unwritable(tmp_path / "PAGE.HTML", ".html")
    refuse_unwritable(tmp_path / "measures", "")
    refuse_targets(table, [("page", tmp_path / "page.html", ".html")])
    with pytest.raises(WriteError, match="is not known"):
        refuse_unwritable(tmp_path / "page.html", None)
    with pytest.raises(WriteError, match="is not known"):
        refuse_targets(table, [("release", tmp_path / "page.html", None)])
    for ending in (".toml", ".html", ".jsonl", ".svg"):
        for name in (".bashrc", f"x{ending}.", f"x{ending}~", ending, f"x{ending}/authorized_keys", "x.csv"):
            with pytest.raises(WriteError, match=f" was not written: its name has to end in {ending}"):
                refuse_unwritable(tmp_path / name, ending)
