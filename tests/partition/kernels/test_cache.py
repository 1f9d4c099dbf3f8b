"""The cache of compiled code: nothing that is compiled into a kernel changes without its knowing, and nobody else
writes to it."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from shoal.partition.kernels import cache, neighbours
from shoal.partition.kernels.cache import folders, is_private, stamp_of

FOLDER = Path(cache.__file__).parent
FILES = sorted(FOLDER.glob("*.py"))


def imported_by(file: Path) -> set[str]:
    """Return the modules that a file imports, anywhere in it."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "a relative import"
            names.add(node.module)
    return names


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_a_kernel_imports_nothing_of_shoal_from_outside_the_folder(file):
    """The stamp is taken over this folder: a constant from elsewhere would be compiled in unseen."""
    from_shoal = {name for name in imported_by(file) if name.partition(".")[0] == "shoal"}
    allowed = {"shoal.errors"} if file.name == "cache.py" else set()  # which holds no kernel
    assert {name for name in from_shoal if not name.startswith("shoal.partition.kernels.")} <= allowed


def test_nothing_is_compiled_outside_the_folder():
    package = FOLDER.parents[1]
    compiling = {file for file in package.rglob("*.py") if {"numba", "llvmlite"} & imported_by(file)}
    assert {file.parent for file in compiling} == {FOLDER}


@pytest.fixture
def copy(tmp_path):
    return Path(shutil.copytree(FOLDER, tmp_path / "kernels", ignore=shutil.ignore_patterns("__pycache__")))


@pytest.mark.parametrize(("before", "after"), [("LEAF = 32", "LEAF = 16"), ("FAN = 16", "FAN = 32")])
def test_another_size_of_leaves_or_blocks_is_another_stamp(copy, before, after):
    """With code compiled for the old size, arrays of the new one are written past their ends."""
    assert stamp_of(copy) == stamp_of(FOLDER)
    file = copy / "tree.py"
    date, text = file.stat().st_mtime_ns, file.read_text(encoding="utf-8")
    assert before in text
    file.write_text(text.replace(before, after), encoding="utf-8")
    os.utime(file, ns=(date, date))  # as an installer may leave it; the number of bytes is the same too
    assert stamp_of(copy) != stamp_of(FOLDER)


def test_a_file_more_or_less_is_another_stamp(copy):
    (copy / "one_more.py").write_text("")
    assert stamp_of(copy) != stamp_of(FOLDER)
    (copy / "one_more.py").unlink()
    (copy / "tree.py").unlink()
    assert stamp_of(copy) != stamp_of(FOLDER)


def test_numba_is_told_of_the_stamp():
    """If a new version of numba keeps its stamp elsewhere, this is where it is noticed."""
    assert neighbours.find_nearest._cache._cache_file._source_stamp == stamp_of(FOLDER)


@pytest.mark.parametrize("part", ["numba", "llvmlite", "np"])
def test_another_version_of_what_compiles_is_another_stamp(monkeypatch, part):
    before = stamp_of(FOLDER)
    monkeypatch.setattr(getattr(cache, part), "__version__", "0.0")
    assert stamp_of(FOLDER) != before


def test_a_folder_that_is_made_is_for_its_owner_only(tmp_path):
    before = os.umask(0)
    try:
        assert is_private(tmp_path / "cache")
    finally:
        os.umask(before)
    assert (tmp_path / "cache").stat().st_mode & 0o777 == 0o700


def test_a_folder_of_ours_that_others_could_read_is_closed_to_them(tmp_path):
    (tmp_path / "cache").mkdir(mode=0o755)
    assert is_private(tmp_path / "cache")
    assert (tmp_path / "cache").stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("mode", [0o770, 0o720, 0o702, 0o777])
def test_a_folder_that_others_could_have_written_to_is_not_used(tmp_path, mode):
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache").chmod(mode)
    assert not is_private(tmp_path / "cache")


def test_a_folder_of_somebody_else_is_not_used(tmp_path, monkeypatch):
    (tmp_path / "cache").mkdir(mode=0o700)
    monkeypatch.setattr(cache.os, "geteuid", lambda: os.getuid() + 1)
    assert not is_private(tmp_path / "cache")


def test_a_link_and_a_file_are_not_used(tmp_path):
    (tmp_path / "cache").mkdir(mode=0o700)
    (tmp_path / "link").symlink_to(tmp_path / "cache")
    (tmp_path / "file").write_text("")
    assert not is_private(tmp_path / "link")
    assert not is_private(tmp_path / "file")
    assert not is_private(tmp_path / "file" / "cache")


def test_a_folder_that_others_could_exchange_is_not_used(tmp_path):
    (tmp_path / "shared" / "cache").mkdir(parents=True)
    (tmp_path / "shared").chmod(0o777)
    assert not is_private(tmp_path / "shared" / "cache")
    (tmp_path / "shared").chmod(0o1777)  # as /tmp is
    assert is_private(tmp_path / "shared" / "cache")


def test_without_a_home_no_folder_is_named_after_the_sign_for_it(monkeypatch):
    monkeypatch.setattr(cache, "user_cache_dir", lambda name: f"~/.cache/{name}")
    assert all(one.is_absolute() for one in folders())


CODE = """
import numpy as np
from shoal.partition.kernels.compiled import kernel

@kernel
def doubled(x):
    return 2 * x

@kernel
def halved(x):
    return x / 2

print(doubled(3), halved(3.0))
"""


def run_kernels(tmp_path: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    file = tmp_path / "some_kernels.py"
    file.write_text(CODE)
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path), NUMBA_CACHE_DIR=str(folder))
    return subprocess.run([sys.executable, file], env=environment, capture_output=True, text=True, timeout=120)


def test_without_a_folder_code_is_compiled_in_memory_and_that_is_said_once(tmp_path):
    ran = run_kernels(tmp_path, Path("/dev/null/cache"))
    assert (ran.returncode, ran.stdout) == (0, "6 1.5\n")
    assert ran.stderr.count("Compiled code cannot be kept") == 1


def test_code_is_kept_and_a_damaged_file_is_compiled_again(tmp_path):
    def kept() -> dict[str, bytes]:
        return {file.name: file.read_bytes() for file in (tmp_path / "cache").rglob("*.nb?")}

    for size in (None, 100, 0):
        for file in (tmp_path / "cache").rglob("*.nb?"):
            os.truncate(file, size)
        ran = run_kernels(tmp_path, tmp_path / "cache")
        assert (ran.returncode, ran.stdout, ran.stderr) == (0, "6 1.5\n", "")
        assert len(kept()) == 4
        assert min(map(len, kept().values())) > 100
