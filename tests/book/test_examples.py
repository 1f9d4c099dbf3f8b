"""What README and docs tell a reader to type works: Python is run, commands too, jobs and rules are read.

Each page is followed from top to bottom, in a folder with small stand-ins for the files it speaks of. A command line
that is not run for real is read by the real command line: every option exists. A block of text that follows what is
typed has to be what it prints (`printed.py`).
"""

from __future__ import annotations

import re
import tomllib
import warnings
from collections.abc import Iterator
from contextlib import chdir, redirect_stdout
from io import StringIO
from pathlib import Path
from shutil import copyfile
from xml.etree import ElementTree

import matplotlib
import pytest
import typer

import shoal
from book.pages import LANGUAGES, PAGES, ROOT, TEXT, Example, examples_of
from book.printed import Printed, shows
from book.sample_files import ON_TESTDATA, has_testdata, write_sample_files
from command_line import run_shoal
from shoal.cli.app import app
from shoal.partition import Refine

pytestmark = pytest.mark.slow

TRIALS = 12  # of a search: the usual methods at the usual k
MOST_NOT_RUN = 3  # blocks that say no-run; one more wants a reason that a reader accepts
MOST_THAT_VARY = 0  # blocks of text that say varies: seconds, or what depends on the machine


def named(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.fixture(autouse=True)
def short_searches(monkeypatch) -> None:
    """Let a search that nobody gave a time end at once: by default it takes ten seconds for every k."""
    start, _, *others = Refine.__init__.__defaults__
    monkeypatch.setattr(Refine.__init__, "__defaults__", (start, 0.1, *others))


@pytest.fixture(autouse=True)
def no_window_and_no_warning() -> Iterator[None]:
    with matplotlib.rc_context({"backend": "agg"}), warnings.catch_warnings():
        warnings.resetwarnings()
        warnings.simplefilter("ignore")
        yield


def has_something_to_type(page: Path) -> bool:
    return not all(one.language in (*TEXT, "r") or one.language.startswith("{") for one in examples_of(page))


@pytest.mark.parametrize("page", list(filter(has_something_to_type, PAGES)), ids=named)
def test_what_a_page_says_can_be_typed(page, tmp_path):
    write_sample_files(tmp_path, named(page))
    examples, names = examples_of(page), {"__name__": "__main__"}
    printed: dict[int, Printed | None] = {}  # by block; None where nothing was typed
    failed = []
    with chdir(tmp_path):
        for before, example, after in zip([None, *examples], examples, [*examples[1:], None], strict=False):
            try:
                if example.language in TEXT:
                    refuse_other_text(example, printed.get(before.block) if before else None)
                else:
                    refused = after is not None and after.language in TEXT and after.text.startswith("shoal: error")
                    now, so_far = follow(example, names, refused), printed.get(example.block)
                    printed[example.block] = so_far + now if so_far and now else now or so_far
            except Exception as error:
                failed.append(f"{example.place}: {type(error).__name__}: {error}\n    {example.text.strip()[:300]}")
    assert not failed, "\n" + "\n".join(failed)


def refuse_other_text(example: Example, printed: Printed | None) -> None:
    """Fail where a block of text is not what was printed just before it."""
    if printed is not None and is_compared(example):
        assert shows(example.text, printed), f"this is printed:\n{printed.out}{printed.err}"


def is_compared(example: Example) -> bool:
    """Say whether what a page shows can be compared: it does not vary, and is about a file that is there."""
    return not example.varies and (named(example.page) not in ON_TESTDATA or has_testdata())


def follow(example: Example, names: dict[str, object], refused: bool = False) -> Printed | None:
    """Do what an example says, and return what it prints; None if nothing is typed, or is not run."""
    if example.language == "python":
        code = compile(shortened(example.text), example.place, "exec")
        if example.run:
            with redirect_stdout(StringIO()) as out:
                exec(code, names)
            return Printed(out.getvalue())
    elif example.language == "command":
        return follow_command(example, refused)
    elif example.language == "file":
        Path(example.saved_as).write_text(example.text.partition("\n")[2], encoding="utf-8")
    elif example.language == "toml" and "file" in tomllib.loads(example.text):
        Path("page.toml").write_text(example.text, encoding="utf-8")
        run("protect", "--job", "page.toml")
    elif example.language == "xml" and "schematron" in ElementTree.fromstring(example.text).tag:
        Path("rules.sch").write_text(example.text, encoding="utf-8")
        assert shoal.read_edits("rules.sch")
    elif example.language == "rules":
        Path("page.txt").write_text(example.text, encoding="utf-8")
        assert shoal.read_edits("page.txt")
    return None


def follow_command(example: Example, refused: bool) -> Printed | None:
    program, *words = ["shoal", "demo"] if example.words == ["make", "demo"] else example.words
    if program == "python":
        is_there(words)
    elif program == "cp":
        copyfile(*words)
    elif program == "shoal":
        read(words)
        if example.run and only_read(example) is None:
            printed = run(*short(words), refused=refused)
            if example.saved_as is None:
                return printed
            Path(example.saved_as).write_text(printed.out, encoding="utf-8")
            return Printed(err=printed.err)
    return None


def is_there(words: list[str]) -> None:
    """Check that a script, or with -m a study, is in the repository."""
    name = f"{words[1].replace('.', '/')}/__main__.py" if words[0] == "-m" else words[0]
    assert (ROOT / name).is_file(), f"{name} is not there"


def read(words: list[str]) -> None:
    """Let the command line read its words, without running anything."""
    command = typer.main.get_command(app).commands[words[0]]
    command.make_context(words[0], list(words[1:]))


def only_read(example: Example) -> str | None:
    """Say why a command is not run; None if it is."""
    if example.words[1] == "studio":
        return "a server runs until it is stopped; tests/studio starts it"
    if "--scheduler" in example.words:
        return "there is no such cluster"
    if "--engine" in example.words and example.page.name != "cluster.md":
        return "a cluster takes seconds to start; the page about it starts one, and so does tests/scale"
    return "studies take minutes, and have a command of their own" if "studies" in example.page.parts else None


def run(*words: str, refused: bool = False) -> Printed:
    if "--job" in words:
        set_k(Path(words[words.index("--job") + 1]))
    ran = run_shoal(*words)
    answered = ran.returncode == 0 or (words[0] == "check" and ran.returncode == 1 and not ran.stderr)
    assert answered != refused, ran.stderr or "this is not refused"
    return Printed(ran.stdout, ran.stderr)


def set_k(job: Path) -> None:
    """Set k in a job that describe began, as the pages tell a reader to do."""
    text = job.read_text(encoding="utf-8")
    if "k" not in tomllib.loads(text):
        job.write_text(f"k = 5\n{text}", encoding="utf-8")


def short(words: list[str]) -> list[str]:
    """Let searches end at once, and a cluster be one worker."""
    if words[0] == "tune":
        return [*words, "--trials", str(TRIALS)]
    if "--engine" in words:
        return [*words, "--workers", "1"]
    return [shortened(word) for word in words]


def shortened(text: str) -> str:
    """Let searches and repetitions end early, and those that a result depends on by their number of steps."""
    text = re.sub(r"(\.tune\([^)]*)\bseconds=[0-9]+", rf"\1trials={TRIALS}", text)
    text = re.sub(r"\bseconds=[0-9]+", "seconds=0.1", text)
    return re.sub(r"\brepetitions=[0-9]+", "repetitions=1", text)


def test_every_block_has_a_language_that_is_known():
    assert not [
        example.place
        for page in PAGES
        for example in examples_of(page)
        if example.language not in {*LANGUAGES, "command", "file"} and not example.language.startswith("{")
    ]


def test_few_blocks_are_not_run_and_none_goes_uncompared():
    every = [example for page in PAGES for example in examples_of(page)]
    assert sum(not example.run for example in every) <= MOST_NOT_RUN
    assert sum(example.varies for example in every) <= MOST_THAT_VARY
