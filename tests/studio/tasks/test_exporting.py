"""What is exported makes the same file again from the user's own: by the command, by the script, and by the job."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import shoal
from shoal.errors import ShoalError
from shoal.studio.tasks.exporting import command_of, default_ending, exported, formats, names_of, script_of
from shoal.studio.tasks.protecting import attempt, kept_release
from shoal.studio.tasks.resuming import saved_work

pytestmark = pytest.mark.filterwarnings("ignore:The rows of .* are in the order of the input")

OPTIONS = {"roles": {"id": "identifier"}, "unit": "home", "seed": 0, "edits": ["net + tax == gross"]}
FILE = "Umfrage 2024.csv"


def survey(records: int = 60) -> pd.DataFrame:
    draw = np.random.default_rng(7)
    net, tax = draw.integers(100, 900, records), draw.integers(0, 99, records)
    return pd.DataFrame(
        {
            "id": [f"p{number}" for number in range(records)],
            "home": np.arange(records) // 2,
            "sex": draw.choice(["f", "m"], records),
            "net": net,
            "tax": tax,
            "gross": net + tax,
        }
    )


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    path = tmp_path_factory.mktemp("uploads") / "upload-0123.csv"
    survey().to_csv(path, index=False, sep=";", encoding="utf-16")
    return {"path": str(path), "reading": {"delimiter": ";", "encoding": "utf-16"}}


@pytest.fixture(scope="module")
def kept(source, tmp_path_factory):
    folder = tmp_path_factory.mktemp("attempts") / "attempt-1"
    attempt(str(folder), source, 3, OPTIONS)
    return str(folder)


@pytest.fixture
def export(source, kept, tmp_path):
    """Export a part, and return its path."""
    folder = tmp_path / "export"

    def run(part: str, ending: str = ".csv", keep_order: bool = False, file: str = FILE) -> Path:
        folder.mkdir(exist_ok=True)
        return Path(exported(source, kept, str(folder), file, 3, OPTIONS, ending, keep_order, part))

    return run


@pytest.fixture
def own_folder(source, tmp_path):
    """A folder with the user's own file, under the user's name."""
    folder = tmp_path / "home of the user"
    folder.mkdir()
    (folder / FILE).write_bytes(Path(source["path"]).read_bytes())
    return folder


def run_in(folder: Path, *command: str) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, *command], cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("ending", [".csv", ".parquet", ".dta", ".sav", ".xlsx"])
def test_the_plan_makes_the_same_bytes_from_the_users_own_file(ending, export, own_folder):
    masked, plan = export("masked", ending), export("plan", ending)
    (own_folder / plan.name).write_bytes(plan.read_bytes())
    run_in(own_folder, "-m", "shoal", "protect", "--plan", plan.name)
    assert (own_folder / masked.name).read_bytes() == masked.read_bytes()


def test_the_command_is_the_one_that_was_run():
    assert command_of(names_of("survey.csv", ".csv")) == "shoal protect --plan survey-masked.csv.plan.toml"
    assert command_of(names_of(FILE, ".sav")) == 'shoal protect --plan "Umfrage 2024-masked.sav.plan.toml"'


@pytest.mark.parametrize("keep_order", [False, True])
def test_the_script_makes_the_same_bytes_wherever_it_is_started(keep_order, export, own_folder, tmp_path):
    parts = {part: export(part, keep_order=keep_order) for part in ("masked", "plan", "script")}
    for part in ("plan", "script"):
        (own_folder / parts[part].name).write_bytes(parts[part].read_bytes())
    run_in(tmp_path, str(own_folder / parts["script"].name))
    assert (own_folder / parts["masked"].name).read_bytes() == parts["masked"].read_bytes()


def test_the_job_makes_the_same_values_and_the_same_bytes_where_no_key_is_drawn(source, tmp_path, own_folder):
    options = {"roles": {"id": "identifier", "home": "identifier"}}  # no unit: new ids come from the key
    attempt(str(tmp_path / "attempt"), source, 3, options)
    folder = tmp_path / "export"
    folder.mkdir()
    masked, job = (
        Path(exported(source, str(tmp_path / "attempt"), str(folder), FILE, 3, options, ".csv", True, part))
        for part in ("masked", "job")
    )
    (own_folder / job.name).write_bytes(job.read_bytes())
    run_in(own_folder, "-m", "shoal", "protect", "--job", job.name)
    assert (own_folder / masked.name).read_bytes() == masked.read_bytes()


def test_the_plan_names_the_users_file_and_the_exported_one_and_no_folder_of_the_studio(export, source):
    masked, plan = export("masked"), export("plan")
    content = tomllib.loads(plan.read_text(encoding="utf-8"))
    assert content["input"]["path"] == FILE
    assert content["input"]["reading"] == source["reading"]
    assert content["output"]["path"] == masked.name == "Umfrage 2024-masked.csv"
    assert str(plan.parent) not in plan.read_text(encoding="utf-8")
    assert "upload-" not in plan.read_text(encoding="utf-8")


def test_rows_leave_in_random_order_unless_they_are_to_keep_it(export, kept):
    release, _ = kept_release(kept)
    random, in_order = (shoal.read_table(export("masked", keep_order=keep)) for keep in (False, True))
    assert in_order["gross"].tolist() == pytest.approx(release.data["gross"].tolist(), abs=0.011)
    assert random["gross"].tolist() != in_order["gross"].tolist()
    assert sorted(random["gross"]) == pytest.approx(sorted(in_order["gross"]))


def test_reports_are_those_of_the_release_and_name_the_file_in_house_only(export, kept):
    internal, public = (export(part).read_text(encoding="utf-8") for part in ("internal", "public"))
    assert f"Protection of {FILE}" in internal
    assert FILE not in public
    assert "upload-0123" not in internal + public
    assert str(kept_release(kept)[0].plan.key) not in internal + public


def test_everything_is_one_archive_without_dates(export, tmp_path):
    archive = export("everything")
    names = names_of(FILE, ".csv")
    with zipfile.ZipFile(archive) as content:
        assert content.testzip() is None
        expected = {names.masked, names.plan, names.public, names.internal, names.job, names.script, "READ-ME.txt"}
        assert set(content.namelist()) == expected
        assert content.read(names.masked) == export("masked").read_bytes()
        assert {one.date_time[0] for one in content.infolist()} == {1980}
        about = content.read("READ-ME.txt").decode()
    assert all(name in about for name in expected - {"READ-ME.txt"})


def test_the_exported_job_and_plan_are_opened_again(export, source):
    for part in ("job", "plan"):
        saved = export(part)
        work = saved_work(str(saved), saved.name, source["path"], FILE)
        assert (work["k"], work["reading"], work["options"]["edits"]) == (3, source["reading"], OPTIONS["edits"])


def test_a_format_that_cannot_hold_the_file_is_refused_without_a_folder_in_the_message(source, tmp_path):
    options = {"roles": {"id": "identifier"}}
    path = tmp_path / "wide.csv"
    survey().rename(columns={"gross": "gross_income_in_all"}).to_csv(path, index=False)
    attempt(str(tmp_path / "attempt"), {"path": str(path), "reading": {}}, 3, options)
    (tmp_path / "export").mkdir()
    with pytest.raises(ShoalError, match="does not fit a SAS transport file") as refused:
        exported(
            {"path": str(path), "reading": {}},
            str(tmp_path / "attempt"),
            str(tmp_path / "export"),
            "wide.csv",
            3,
            options,
            ".xpt",
            False,
            "masked",
        )
    assert str(refused.value).startswith("wide-masked.xpt was not written")


@pytest.mark.parametrize("ending", [".por", ".exe", "", "/../x.csv", ".csv/../../x.csv"])
def test_no_other_format_is_written(ending, export):
    with pytest.raises(ShoalError, match="does not write that format"):
        export("masked", ending)


@pytest.mark.parametrize(
    ("file", "masked"),
    [
        ("survey.csv", "survey-masked.csv"),
        ("-rf.csv", "rf-masked.csv"),
        ('a"b$(c)`d`.csv', "a_b_(c)_d_-masked.csv"),
        ("..csv", "table-masked.csv"),
        ("Erträge 2024.sas7bdat", "Erträge 2024-masked.csv"),
        ("x.csv.gz", "x-masked.csv.gz"),
        ("ü" * 190 + ".csv", "ü" * 75 + "-masked.csv"),
    ],
)
def test_names_are_safe_on_every_system_and_in_every_shell(file, masked):
    names = names_of(file, default_ending(file))
    assert names.masked == masked
    assert all(len(name.encode()) < 255 for name in vars(names).values() if name != file)
    compile(script_of(names, True), names.script, "exec")


def test_every_format_that_can_be_written_is_offered():
    assert {".csv", ".parquet", ".dta", ".sav", ".xlsx", ".xml", ".xpt"} <= set(formats())
    assert ".sas7bdat" not in formats()
