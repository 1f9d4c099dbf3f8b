"""The cache of compiled code: nothing that is compiled into a kernel may change without the cache knowing."""

from __future__ import annotations

import ast
import os
import shutil
from pathlib import Path

import pytest

from shoal.partition.kernels import compiled, neighbours
from shoal.partition.kernels.compiled import stamp_of

FOLDER = Path(compiled.__file__).parent
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
    assert {name for name in from_shoal if not name.startswith("shoal.partition.kernels.")} == set()


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
