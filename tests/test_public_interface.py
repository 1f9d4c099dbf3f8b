"""The names other programs call, and what importing them costs."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import shoal

ROOT = Path(__file__).parents[1]


PACKAGES = [getattr(shoal, name) for name in ("edits", "measure", "partition", "recode", "replace")]
PACKAGES += [shoal, shoal.partition.fuzzy]


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.__name__)
def test_every_public_name_can_be_imported(package):
    for name in package.__all__:
        assert getattr(package, name) is not None
    assert set(dir(package)) == set(package.__all__)
    with pytest.raises(AttributeError, match=f"module '{package.__name__}' has no attribute 'no_such_name'"):
        _ = package.no_such_name


def test_the_version_is_the_same_everywhere():
    for file, pattern in (("pyproject.toml", r'^version = "(.+)"'), ("CITATION.cff", r"^version: (.+)$")):
        assert re.search(pattern, (ROOT / file).read_text(), re.M).group(1) == shoal.__version__
    assert f"## {shoal.__version__}" in (ROOT / "CHANGELOG.md").read_text()


def loaded_after(statement: str) -> set[str]:
    code = f"import sys; {statement}; print(*{{name.partition('.')[0] for name in sys.modules}})"
    return set(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split())


EXTRAS = {"shiny", "fastapi", "uvicorn", "dask", "distributed", "optuna", "saxonche", "polars", "torch"}


@pytest.mark.parametrize(
    "statement",
    [
        "import shoal",
        "import shoal.cli.app",
        "import shoal.flow.carry_out",
        "import shoal.datasets; shoal.datasets.households(10)",
    ],
)
def test_importing_shoal_pulls_in_no_optional_part(statement):
    assert not loaded_after(statement) & EXTRAS


def test_importing_shoal_is_light():
    """`import shoal` and `shoal --help` load none of the heavy libraries; they come with the first use."""
    heavy = {"numpy", "pandas", "pyarrow", "sklearn", "numba", "pyreadstat", "openpyxl", "lxml", "scipy"}
    assert not loaded_after("import shoal, shoal.cli.app") & heavy


def loaded_by(arguments: list[str]) -> set[str]:
    """Return the modules that a command of shoal has imported when it ends."""
    code = "import atexit, sys; atexit.register(lambda: print(*sys.modules, file=sys.stderr)); " + (
        "from shoal.__main__ import main; main()"
    )
    ran = subprocess.run([sys.executable, "-c", code, *arguments], check=True, capture_output=True, text=True)
    return set(ran.stderr.splitlines()[-1].split())


def test_protecting_a_small_file_imports_what_it_needs(tmp_path):
    shoal.write_table(shoal.datasets.households(1000).drop(columns="household_id"), tmp_path / "small.csv")
    heavy = {
        "sklearn",
        "scipy",
        "numba",
        "lxml",
        "elementpath",
        "openpyxl",
        "pyreadstat",
        "matplotlib",
        "jinja2",
        "rich",
    }
    assert not loaded_by(["protect", str(tmp_path / "small.csv"), "-k", "5", "-o", str(tmp_path / "out.csv")]) & heavy


@pytest.mark.parametrize("command", ["protect", "compare", "tune"])
def test_the_help_imports_what_it_prints(command):
    assert not loaded_by([command, "--help"]) & {"numpy", "pandas", "pyarrow", "numba", "sklearn", "scipy"}


def test_partitions_and_replacements_do_not_compile_on_import():
    assert "numba" not in loaded_after("import shoal.partition, shoal.replace, shoal.read, shoal.write, shoal.describe")


def test_the_guide_names_every_measure():
    guide = (ROOT / "docs" / "steps" / "measure.md").read_text()
    assert not [name for name in shoal.measure.MEASURES if f"`{name}`" not in guide]
