"""Saved work is opened whole or not at all: jobs and plans come back, what no studio saved is refused in a line."""

from __future__ import annotations

import tomllib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import shoal
from shoal.errors import PlanError, ReadError, ShoalError
from shoal.flow.job.reading import Job
from shoal.studio.decisions import Decisions
from shoal.studio.tasks.exporting import exported
from shoal.studio.tasks.protecting import attempt
from shoal.studio.tasks.resuming import saved_work


@pytest.fixture
def table(tmp_path: Path) -> Path:
    draw = np.random.default_rng(3)
    frame = pd.DataFrame(
        {
            "age": draw.integers(18, 90, 40),
            "home": np.arange(40) // 2,
            "name": [f"person {number}" for number in range(40)],
            "sex": draw.choice(["f", "m"], 40),
            "net": draw.integers(100, 900, 40),
        }
    ).assign(gross=lambda frame: frame["net"] + 50)
    path = tmp_path / "upload-abc.csv"
    frame.to_csv(path, index=False)
    return path


@pytest.fixture
def opened(table: Path, tmp_path: Path):
    """Open a text as saved work for the table."""

    def run(text: str, name: str = "job.toml"):
        saved = tmp_path / "upload-def.toml"
        saved.write_text(text, encoding="utf-8")
        return saved_work(str(saved), name, str(table), "survey.csv")

    return run


WHOLE = {
    "roles": {"name": "identifier", "net": "confidential"},
    "kinds": {"sex": "nominal"},
    "unit": "home",
    "as_is": ["sex"],
    "recodes": {"age": "bands:width=5,top=85"},
    "edits": ["gross - net == 50"],
    "missing_codes": {"*": [-9], "net": [999, "none"]},
    "method": "vmdav:gamma=0.2",
    "replace": {"net": "median"},
    "categories": {"sex": "suppress"},
    "dominance": 80,
    "decimals": {"net": 0},
    "seed": 9223372036854775807,
}


def test_a_saved_job_comes_back_as_it_was(opened):
    decisions = Decisions(k=4, options=WHOLE)
    work = opened(decisions.as_job("job.toml", "survey.csv", {"delimiter": ","}, output="x.csv"))
    assert work == {"k": 4, "options": WHOLE, "reading": {"delimiter": ","}, "plan": None, "note": ""}


def test_work_that_is_not_done_yet_can_be_saved(opened):
    assert opened('file = "survey.csv"\n')["options"] == {}
    assert opened('[kinds]\nsex = "nominal"\n') == {
        "k": None,
        "options": {"kinds": {"sex": "nominal"}},
        "reading": {},
        "plan": None,
        "note": "",
    }


def test_options_come_in_the_forms_that_pages_use(opened):
    work = opened('as_is = "sex"\nmissing = "error"\n[recodes]\nage = {name = "bands", width = 5}\n')
    assert work["options"]["as_is"] == ["sex"]  # one name is a list of one; a default is left out
    assert work["options"]["recodes"] == {"age": "bands:width=5"}
    assert "missing" not in work["options"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("k = 1\n", "k must be a whole number from 2"),
        ("k = true\n", "k must be a whole number from 2"),
        ('k = "5"\n', "k must be a whole number from 2"),
        ("k = 41\n", "k is larger than the file, which has 40 records"),
        ("k = 99999999999999999999999999\n", "k is larger than the file"),
        (f"k = 1{'0' * 500}\n", "a number in it is too long"),
        ("kk = 5\n", 'there is no key "kk"'),
        ("k = 5", None),
        ("k = \n", "is not TOML"),
        ("\0", "is not TOML"),
        ("roles = 5\n", "roles must be a mapping from columns"),
        ('[roles]\nage = "owner"\n', 'roles of "age" must be one of'),
        ('[roles]\nagee = "key"\n', 'there is no column "agee" in the file. Did you mean "age"?'),
        ('weights = "w"\n', 'there is no column "w" in the file'),
        ('as_is = ["../../etc/passwd"]\n', "there is no column"),
        ("as_is = [1]\n", 'there is no column "1"'),
        ('blocks = [["age"], ["nobody"]]\n', 'there is no column "nobody"'),
        ('method = "magic"\n', 'There is no method "magic"'),
        ("[method]\nx = 1\n", "There is no method"),
        ('replace = "magic"\n', 'There is no replace "magic"'),
        ('[replace]\nage = "magic"\n', 'There is no replace "magic"'),
        ("[replace]\nage = 5\n", "replace"),
        ('edits = "rules.txt"\n', "its rules are in another file, which the studio cannot follow"),
        ('edits = ["nobody == 1"]\n', "nobody"),
        ('edits = ["net +"]\n', "net +"),
        ('[recodes]\nage = "bands:width=-1"\n', "width"),
        ('[recodes]\nage = "hierarchy:path=/etc/passwd"\n', "a recode in it names another file"),
        ('[recodes]\nage = [{name = "hierarchy", path = "x.csv"}]\n', "a recode in it names another file"),
        ("closeness = nan\n", "closeness must be a number from 0 to 1"),
        ("dominance = 1000\n", "dominance must be a number above 0, 100 at most"),
        ("seed = -1\n", "seed must be a whole number, 0 or more"),
        ("seed = 2024-01-01\n", "a value in it is a date or a time"),
        ("decimals = 1000\n", "decimals must be a whole number from -12 to 15"),
        ("standardize = 1\n", "standardize must be True or False"),
        ('missing = "guess"\n', "missing must be one of"),
        ("[reading]\nbudget = 1e9\n", "reading.budget is more than 10"),
        ("[reading]\nbudget = nan\n", "reading.budget must be a number"),
        ('[reading]\nencoding = "no such"\n', "no such"),
        ('[reading]\npath = "/etc/passwd"\n', 'there is no key "reading.path"'),
        ('[[then]]\ncolumns = ["age"]\n', "it has further steps"),
        ('key = "x"\n', "is missing"),
    ],
)
def test_what_no_studio_saved_is_refused_in_one_line(text, says, opened, tmp_path):
    if says is None:
        assert opened(text)["k"] == 5
        return
    with pytest.raises(ShoalError) as refused:
        opened(text)
    message = str(refused.value)
    assert says in message
    assert "\n" not in message
    assert str(tmp_path) not in message
    assert len(message) < 600


def test_a_file_that_is_no_table_is_refused_by_its_own_name(tmp_path):
    (tmp_path / "job.toml").write_text("k = 5\n")
    (tmp_path / "upload-1.xlsx").write_bytes(b"no spreadsheet")
    with pytest.raises(ReadError, match=r"^survey\.xlsx "):
        saved_work(str(tmp_path / "job.toml"), "job.toml", str(tmp_path / "upload-1.xlsx"), "survey.xlsx")


PLANS = {
    "defaults": {"roles": {"name": "identifier", "home": "identifier"}},
    "unit and recodes": {"roles": {"name": "identifier"}, "unit": "home", "recodes": {"age": "bands:width=10"}},
    "rules": {"roles": {"name": "identifier", "home": "identifier"}, "edits": ["gross - net == 50"]},
    "as it is": {"roles": {"name": "identifier", "home": "identifier"}, "as_is": ["sex"], "replace": "median"},
    "blocks": {"roles": {"name": "identifier", "home": "identifier"}, "blocks": [["age", "sex"], ["net", "gross"]]},
    "some columns": {"roles": {"name": "identifier"}, "columns": ["net", "gross"], "replace": {"net": "median"}},
    "kept categories": {"roles": {"name": "identifier", "home": "identifier"}, "categories": {"sex": "suppress"}},
    "a search": {"roles": {"name": "identifier", "home": "identifier"}, "method": "refine:steps=200"},
    "hybrid": {
        "roles": {"name": "identifier", "home": "identifier", "net": "confidential"},
        "columns": ["age", "net"],
        "replace": "hybrid",
    },
    "perturbed": {"roles": {"name": "identifier", "home": "identifier"}, "replace": "rank-swap"},
}


@pytest.mark.filterwarnings("ignore::shoal.errors.ShoalWarning")
@pytest.mark.parametrize("options", PLANS.values(), ids=PLANS)
def test_a_plan_brings_its_decisions_back_and_they_give_the_same_plan(options, opened, table, tmp_path):
    release = shoal.protect(table, 5, **options)
    release.write(tmp_path / "masked.csv")
    work = opened((tmp_path / "masked.csv.plan.toml").read_text(), "masked.csv.plan.toml")
    assert work["note"] == "Its release is being made again: see the step Protect."  # nothing could not be shown
    again = Job(k=work["k"], options=work["options"]).run(table)
    pd.testing.assert_frame_equal(
        again.data.drop(columns="home", errors="ignore"), release.data.drop(columns="home", errors="ignore")
    )
    repeated = work["plan"].run(table)
    repeated.write(tmp_path / "again.csv")
    assert (tmp_path / "again.csv").read_bytes() == (tmp_path / "masked.csv").read_bytes()
    Decisions(work["k"], work["options"]).as_job("job.toml", "survey.csv", {})  # can be saved as a job


def plan_text(table: Path, tmp_path: Path) -> str:
    release = shoal.protect(table, 3, roles={"name": "identifier"}, unit="home")
    release.write(tmp_path / "masked.csv")
    return (tmp_path / "masked.csv.plan.toml").read_text()


def test_a_plan_for_another_file_is_refused(opened, table, tmp_path):
    text = plan_text(table, tmp_path)
    table.write_text(table.read_text().replace("f", "m", 1))
    with pytest.raises(PlanError, match="was made for another file, or the file has changed since"):
        opened(text)


def test_a_plan_that_names_a_file_to_read_is_refused(opened, table, tmp_path):
    content = plan_text(table, tmp_path) + '\n[recodes]\nage = [{name = "hierarchy", path = "/etc/passwd"}]\n'
    assert tomllib.loads(content)
    with pytest.raises(PlanError, match="names another file"):
        opened(content)


@pytest.mark.filterwarnings("ignore::shoal.errors.ShoalWarning")
@pytest.mark.parametrize("is_plan", [True, False])
def test_what_saved_work_says_where_to_write_is_not_followed(opened, table, tmp_path, is_plan):
    """Attempts are kept in the studio's own folder, and files leave it through the browser."""
    text = 'k = 3\noutput = "NAME.csv"\nreport = "NAME.html"\nsave_plan = "NAME.toml"\n[roles]\nname = "identifier"\n'
    if is_plan:
        text = plan_text(table, tmp_path).replace("masked.csv", "NAME.csv")
        text += '\n[report]\npath = "NAME.html"\nsha256 = "0"\n'
    (tmp_path / "home").mkdir()
    for ending in ("csv", "html", "toml", "csv.plan.toml"):
        (tmp_path / "home" / f"precious.{ending}").write_text("mine")
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    work = opened(text.replace("NAME", str(tmp_path / "home" / "precious")), "masked.csv.plan.toml")
    kept, folder, source = str(tmp_path / "attempt"), tmp_path / "export", {"path": str(table), "reading": {}}
    attempt(kept, source, work["k"], work["options"], work["plan"])
    folder.mkdir()
    exported(source, kept, str(folder), "survey.csv", work["k"], work["options"], ".csv", False, "everything")
    after = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert after.items() >= before.items()
    new = {path.relative_to(tmp_path).parts[0] for path in after.keys() - before.keys()}
    assert new == {"attempt", "export", "upload-def.toml"}


@pytest.mark.filterwarnings("ignore::shoal.errors.ShoalWarning")
def test_a_plan_of_several_steps_is_left_to_the_command(opened, table, tmp_path):
    release = shoal.protect(table, 3, columns=["age", "sex"], roles={"name": "identifier", "home": "identifier"})
    release.then(columns=["net", "gross"]).write(tmp_path / "masked.csv")
    with pytest.raises(PlanError, match="several steps, which only shoal protect --plan repeats"):
        opened((tmp_path / "masked.csv.plan.toml").read_text())
