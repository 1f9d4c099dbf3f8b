"""A study whose options cannot be used ends with one line, and writes nothing."""

from __future__ import annotations

import pytest
from studies.results import Study


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--data", "nowhere"], "--data needs a folder with census.csv"),
        (["--jobs", "0"], "--jobs needs a whole number from 1 on; got 0."),
        (["--output", "a_file"], "--output needs a folder; a_file is a file."),
    ],
    ids=["data", "jobs", "output"],
)
def test_an_option_that_cannot_be_used_is_one_line(tmp_path, monkeypatch, capsys, options, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a_file").touch()
    for name in ("census", "tarragona", "eia", "testdata"):
        (tmp_path / f"{name}.csv").touch()
    monkeypatch.setattr("sys.argv", ["study", "--data", ".", "--output", "results", *options])
    with pytest.raises(SystemExit):
        Study("any", "About it.").begin()
    assert message in capsys.readouterr().err.splitlines()[-1]
    assert not (tmp_path / "results").exists()
