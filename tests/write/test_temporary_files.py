"""What a killed process left is swept; what somebody writes, or what is not ours, is not."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from shoal.write import temporary_files
from shoal.write.temporary_files import sweep, temporary_beside

LEFT = ".shoal-0123456789ab.csv.gz"
IMPORTS = "import sys; from pathlib import Path; from shoal.write.temporary_files import sweep, temporary_beside"


def run_python(code: str, folder: Path) -> None:
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path))
    subprocess.run([sys.executable, "-c", f"{IMPORTS}; {code}", folder], env=environment, check=True, timeout=120)


def test_what_a_process_left_behind_is_removed(tmp_path: Path) -> None:
    (tmp_path / LEFT).write_text("half of a release")
    (tmp_path / ".shoal-0123456789ac").write_text("half of a plan")
    sweep(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_what_is_being_written_stays(tmp_path: Path) -> None:
    with temporary_beside(tmp_path / "t.csv") as temporary:
        sweep(tmp_path)
        run_python("sweep(Path(sys.argv[1]))", tmp_path)
        assert temporary.exists()
    assert not temporary.exists()


@pytest.mark.parametrize(
    "name", [".shoal-notes.csv", "shoal-0123456789ab.csv", ".shoal-0123456789AB.csv", ".shoal-0123"]
)
def test_files_with_other_names_stay(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("somebody's")
    sweep(tmp_path)
    assert (tmp_path / name).exists()


def test_folders_links_and_pipes_stay(tmp_path: Path) -> None:
    precious = tmp_path / "precious.csv"
    precious.write_text("data")
    (tmp_path / ".shoal-aaaaaaaaaaaa.csv").symlink_to(precious)
    (tmp_path / ".shoal-bbbbbbbbbbbb.csv").mkdir()
    os.mkfifo(tmp_path / ".shoal-cccccccccccc.csv")
    sweep(tmp_path)
    assert len(list(tmp_path.iterdir())) == 4
    assert precious.read_text() == "data"


def test_files_of_other_users_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / LEFT).write_text("theirs")
    monkeypatch.setattr(temporary_files.os, "geteuid", lambda: os.getuid() + 1)
    sweep(tmp_path)
    assert (tmp_path / LEFT).exists()


def test_a_file_that_was_swept_before_it_was_locked_is_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock, swept = temporary_files.locked, []

    def sweep_first(descriptor: int) -> bool | None:
        if not swept:
            swept.extend(tmp_path.iterdir())
            swept[0].unlink()
        return lock(descriptor)

    monkeypatch.setattr(temporary_files, "locked", sweep_first)
    with temporary_beside(tmp_path / "t.csv") as temporary:
        assert temporary.exists()
        assert temporary not in swept


def test_what_no_finally_removed_is_removed_when_the_process_ends(tmp_path: Path) -> None:
    run_python('kept = temporary_beside(Path(sys.argv[1]) / "t.csv"); kept.__enter__()', tmp_path)
    assert list(tmp_path.iterdir()) == []
