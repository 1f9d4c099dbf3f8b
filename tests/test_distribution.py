"""Ready to publish: the source archive and the wheel are built, checked, and the wheel is installed and run.

The environment it is installed in is new, and holds nothing but the wheel and, as links, the packages that the wheel's
own metadata asks for: what shoal needs and does not ask for is missed there, and no checkout can be imported.
"""

from __future__ import annotations

import email.message
import email.parser
import os
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from importlib.metadata import Distribution, distribution
from pathlib import Path, PurePosixPath

import pytest
import yaml
from packaging.requirements import Requirement

import shoal

ROOT = Path(__file__).parents[1]
NOT_PACKAGED = {"__pycache__", ".venv", ".git", ".ci", "_build", ".hypothesis", ".pytest_cache", "shoal-demo"}
pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")]


def run(*words: object, cwd: Path) -> str:
    """Run a program with no other path to shoal than its own environment's."""
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME")}
    ran = subprocess.run(
        [*map(str, words)], cwd=cwd, env=environment, capture_output=True, text=True, timeout=600, check=False
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout + ran.stderr


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> Path:
    """Return a folder with the source archive, and the wheel that was built from it."""
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, ROOT, cwd=folder)
    return folder


@pytest.fixture(scope="module")
def wheel(built) -> Path:
    return next(built.glob("*.whl"))


@pytest.fixture(scope="module")
def metadata(wheel) -> email.message.Message:
    with zipfile.ZipFile(wheel) as archive:
        name = next(name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        return email.parser.Parser().parsestr(archive.read(name).decode())


@pytest.fixture(scope="module")
def clean(wheel, metadata, tmp_path_factory) -> Path:
    """Return a new environment with the wheel, and links to what it asks for."""
    folder = tmp_path_factory.mktemp("clean")
    run(sys.executable, "-m", "venv", "--without-pip", folder, cwd=folder)
    python = folder / "bin" / "python"
    run(sys.executable, "-m", "pip", "--python", python, "install", "--no-deps", "--no-index", wheel, cwd=folder)
    packages = next(folder.glob("lib/python*/site-packages"))
    for one in needed(metadata.get_all("Requires-Dist")):
        for name in {PurePosixPath(file).parts[0] for file in one.files or []} - {"..", "__pycache__"}:
            link = packages / name
            if not link.exists():
                link.symlink_to(Path(str(one.locate_file(name))))
    return folder


def needed(requirements: list[str]) -> Iterator[Distribution]:
    """Yield the installed distributions that requirements ask for, and what those ask for."""
    seen: set[str] = set()
    left = asked_for(requirements, set())
    while left:
        asked = left.pop()
        if asked.name not in seen:
            seen.add(asked.name)
            one = distribution(asked.name)
            yield one
            left += asked_for(one.requires or [], asked.extras)


def asked_for(requirements: list[str], extras: set[str]) -> list[Requirement]:
    """Return the requirements that hold on this machine with some extras."""
    every = [Requirement(text) for text in requirements]
    return [
        one
        for one in every
        if one.marker is None or any(one.marker.evaluate({"extra": extra}) for extra in {"", *extras})
    ]


def test_the_wheel_has_the_package_and_nothing_else(wheel):
    """Templates, styles and py.typed are in it; tests and docs are not."""
    source = ROOT / "src"
    wanted = {path.relative_to(source).as_posix() for path in (source / "shoal").rglob("*") if path.is_file()}
    wanted = {name for name in wanted if "__pycache__" not in name}
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if not name.endswith("/")}
    assert {name for name in names if ".dist-info/" not in name} == wanted
    assert {"shoal/py.typed", "shoal/datasets.py"} <= names
    assert {suffix for name in names if (suffix := PurePosixPath(name).suffix) in (".css", ".html", ".js")} >= {".css"}
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in names)


def test_the_source_archive_has_what_a_checkout_has(built):
    with tarfile.open(next(built.glob("*.tar.gz"))) as archive:
        names = {
            PurePosixPath(member.name).relative_to(f"shoal-{shoal.__version__}") for member in archive.getmembers()
        }
    assert not [name for name in names if NOT_PACKAGED & set(name.parts)]
    for name in ("LICENSE", "README.md", "CHANGELOG.md", "CITATION.cff", "CONTRIBUTING.md", "SECURITY.md", "Makefile"):
        assert PurePosixPath(name) in names
    assert {"src", "tests", "docs", "benchmarks", "studies"} <= {name.parts[0] for name in names if name.parts}


def test_an_index_would_accept_both(built):
    checked = run(sys.executable, "-m", "twine", "check", "--strict", *built.iterdir(), cwd=built)
    assert checked.count("PASSED") == 2


def test_the_metadata_is_complete_and_names_no_address(metadata):
    assert (metadata["Name"], metadata["Version"]) == ("shoal", shoal.__version__)
    assert (metadata["License-Expression"], metadata["Requires-Python"]) == ("BSD-3-Clause", ">=3.11")
    assert metadata["Description-Content-Type"] == "text/markdown"
    for field in ("Summary", "Author", "Keywords"):
        assert metadata[field]
    assert len(metadata.get_all("Classifier")) > 5
    assert metadata["Home-page"] is metadata["Project-URL"] is None


def test_the_installed_wheel_runs_the_demo(clean, tmp_path):
    program = clean / "bin" / "shoal"
    assert run(program, "--version", cwd=tmp_path).strip() == f"shoal {shoal.__version__}"
    assert "k           5: every record" in run(program, "demo", "--folder", "demo", cwd=tmp_path)
    run(program, "report", "demo/survey.csv", "demo/masked.csv", "--quick", "-o", "report.html", cwd=tmp_path)
    assert (tmp_path / "report.html").stat().st_size > 10_000


def test_the_installed_wheel_is_imported_from_its_own_environment(clean, tmp_path):
    code = "import shoal, shoal.cli.app, shoal.report.writing; print(shoal.__file__)"
    assert Path(run(clean / "bin" / "python", "-c", code, cwd=tmp_path).strip()).is_relative_to(clean)


# What the Citation File Format 1.2.0 has for software; an author is a person or an entity, which has a name.
CITATION_KEYS = {
    "abstract", "authors", "cff-version", "commit", "contact", "date-released", "doi", "identifiers", "keywords",
    "license", "license-url", "message", "preferred-citation", "references", "repository", "repository-artifact",
    "repository-code", "title", "type", "url", "version",
}  # fmt: skip


def test_the_citation_is_valid():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert {"cff-version", "message", "title", "authors"} <= set(citation) <= CITATION_KEYS
    assert (citation["cff-version"], citation["type"], citation["license"]) == ("1.2.0", "software", "BSD-3-Clause")
    assert all(set(author) == {"name"} for author in citation["authors"])
    assert len(set(citation["keywords"])) == len(citation["keywords"])
    texts = [citation["message"], citation["title"], citation["abstract"], citation["version"], *citation["keywords"]]
    assert all(isinstance(text, str) and text for text in texts)
