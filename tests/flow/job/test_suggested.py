"""The job that describe begins: it runs once k is set, decides nothing unsafe, and holds no value of the data."""

from __future__ import annotations

import re
import tomllib

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from command_line import run_shoal
from shoal.flow.job.suggested import suggested_job
from shoal.read import Labels, as_table


def describe(folder, name="survey.csv", *options):
    return run_shoal("describe", name, "-o", "job.toml", *options, cwd=folder)


def set_k(folder, k=3):
    job = folder / "job.toml"
    text = job.read_text()
    assert "\n# k = 5\n" in text
    job.write_text(text.replace("\n# k = 5\n", f"\nk = {k}\n"))
    return job


def test_the_survey_runs_once_k_is_set(tmp_path):
    shoal.write_table(shoal.datasets.households(120, seed=7), tmp_path / "survey.csv")
    assert describe(tmp_path).returncode == 0
    before = run_shoal("protect", "--job", "job.toml", cwd=tmp_path)
    assert before.returncode != 0 and "There is no default" in before.stderr
    set_k(tmp_path)
    ran = run_shoal("protect", "--job", "job.toml", cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    released = pd.read_csv(tmp_path / "survey-masked.csv")
    assert "household_id" not in released
    assert released.groupby(list(released.columns)).size().min() >= 3


def test_the_public_test_file_runs_once_k_is_set(tmp_path, reference_data):
    source = reference_data("testdata.csv")
    ran = run_shoal("describe", source, "-o", "job.toml", cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert tomllib.loads((tmp_path / "job.toml").read_text())["unit"] == "ori_hid"
    set_k(tmp_path, 5)
    ran = run_shoal("protect", "--job", "job.toml", cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert "5: at least 5 different units are behind every combination of values" in ran.stdout


def frame() -> pd.DataFrame:
    rng = np.random.default_rng(2)
    return pd.DataFrame(
        {
            "name": [f"Surname{row} of {row}" for row in range(60)],
            "born": [f"19{row % 20 + 10}-01-02" for row in range(60)],
            "region": rng.choice(["Xanadu", "Utopia"], 60),
            "age": rng.integers(18, 97, 60),
            "income": np.where(rng.random(60) < 0.2, -9, rng.integers(7123, 8123, 60)),
            "hours": np.where(rng.random(60) < 0.2, 999, rng.integers(101, 160, 60)),
            "rent": np.where(rng.random(60) < 0.2, np.nan, rng.integers(311, 877, 60)),
            "wgt": rng.random(60) * 100 + 1,
            "odd = \n[key]": rng.choice(["p", "q"], 60),
        }
    )


def job_of(data, tmp_path):
    return suggested_job(as_table(data), tmp_path / "job.toml", tmp_path / "masked.csv")


def test_what_is_unsafe_or_undecided_is_a_comment(tmp_path):
    text = job_of(frame(), tmp_path)
    content = tomllib.loads(text)
    assert content["roles"] == {"name": "identifier", "age": "key", "income": "confidential", "rent": "confidential"}
    assert not {"weights", "strata", "recodes", "missing_codes", "missing", "k", "as_is"} & set(content)
    assert "born" not in content["kinds"] and "name" not in content["kinds"]
    assert content["kinds"]["odd = \n[key]"] == "nominal"
    for line in (
        '# weights = "wgt"',
        '# born = "identifier"  # decide: dates or times.',
        '# region = "stratum"  # decide: ',
        '# age = "bands:width=5,top=85"',
        '# born = "date-part:year"',
        "# income = [-9]",
        "# hours = [999]",
        "# decide: values are missing in rent. They are refused unless this is set:",
        '# missing = "fill"',
    ):
        assert f"\n{line}" in text, line


def test_no_value_of_the_data_is_in_it(tmp_path):
    text = job_of(frame(), tmp_path)
    data = frame().drop(columns=["age", "odd = \n[key]"])
    for column in data:
        for value in data[column].dropna().unique():
            shown = f"{value:g}" if isinstance(value, float) else str(value)
            if shown not in ("-9", "999"):
                assert not re.search(rf"(?<![\w.]){re.escape(shown)}(?![\w.])", text), column


def test_a_recode_that_is_suggested_does_not_depend_on_the_data(tmp_path):
    ages = pd.DataFrame({"age": np.arange(100) % 60 + 59, "x": np.arange(100) / 7})
    assert 'age = "bands:width=5,top=85"' in job_of(ages, tmp_path)


def test_labels_tell_codes_of_missing_values(tmp_path):
    data = pd.DataFrame({"q1": [1, 2, 8, 9] * 15, "x": np.arange(60) / 7})
    labels = Labels(values={"q1": {1: "yes", 2: "no", 8: "Refused", 9: "Don't know", 7: "No answer"}})
    shoal.write_table(data, tmp_path / "in.sav", labels=labels)
    text = suggested_job(as_table(tmp_path / "in.sav"), tmp_path / "job.toml", tmp_path / "out.sav")
    assert "# q1 = [8, 9]" in text


def test_an_amount_that_reaches_nines_is_no_code(tmp_path):
    data = pd.DataFrame({"a": np.arange(40, 100), "b": np.arange(-30, 30), "c": [99] * 60, "d": np.arange(60) - 20})
    assert "missing_codes" not in job_of(data, tmp_path)


def test_an_existing_job_is_not_overwritten(tmp_path):
    shoal.write_table(shoal.datasets.households(60, seed=7), tmp_path / "survey.csv")
    (tmp_path / "job.toml").write_text("k = 3  # mine\n")
    ran = describe(tmp_path)
    assert ran.returncode != 0 and "--force" in ran.stderr
    assert (tmp_path / "job.toml").read_text() == "k = 3  # mine\n"
    assert describe(tmp_path, "survey.csv", "--force").returncode == 0
    assert "household_id" in (tmp_path / "job.toml").read_text()


@pytest.mark.parametrize("output", ["survey.csv", "no/such/folder/job.toml", "."])
def test_a_job_is_not_written_over_the_input_or_nowhere(tmp_path, output):
    shoal.write_table(shoal.datasets.households(60, seed=7), tmp_path / "survey.csv")
    before = (tmp_path / "survey.csv").read_bytes()
    ran = run_shoal("describe", "survey.csv", "-o", output, "--force", cwd=tmp_path)
    assert ran.returncode != 0 and len(ran.stderr.strip().splitlines()) == 1
    assert (tmp_path / "survey.csv").read_bytes() == before


def test_how_the_file_was_read_is_in_the_job(tmp_path):
    (tmp_path / "points.csv").write_text("a;b\n" + "".join(f"{row},5;{row % 4}\n" for row in range(60)))
    assert describe(tmp_path, "points.csv", "--delimiter", ";", "--decimal", ",").returncode == 0
    set_k(tmp_path)
    ran = run_shoal("protect", "--job", "job.toml", "-q", cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert pd.read_csv(tmp_path / "points-masked.csv", sep=None, engine="python").shape == (60, 2)


def test_describe_prints_what_it_did_before(tmp_path):
    shoal.write_table(shoal.datasets.households(60, seed=7), tmp_path / "survey.csv")
    plain = run_shoal("describe", "survey.csv", "--json", cwd=tmp_path)
    assert run_shoal("describe", "survey.csv", "--json", "-o", "job.toml", cwd=tmp_path).stdout == plain.stdout


@given(names=st.lists(st.text(min_size=1, max_size=12), min_size=1, max_size=5, unique=True))
def test_any_name_of_a_column_makes_a_job_that_can_be_read(tmp_path_factory, names):
    names = [name for name in names if name.strip() and not any("\ud800" <= letter <= "\udfff" for letter in name)]
    if not names:
        return
    folder = tmp_path_factory.mktemp("job")
    data = pd.DataFrame({name: np.arange(30) * 1.5 for name in names})
    data.iloc[0, 0] = np.nan
    text = suggested_job(as_table(data), folder / "job.toml", folder / "out.csv")
    (folder / "job.toml").write_text(text, encoding="utf-8")
    job = shoal.read_job(folder / "job.toml")
    assert set(job.options) <= {"kinds", "roles", "unit"}
    assert set(job.options.get("kinds", {})) | set(job.options.get("roles", {})) <= set(names)
