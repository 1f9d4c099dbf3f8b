"""Jobs: a short one is enough, what is given wins over it, and whatever nobody would write is refused in one line."""

from __future__ import annotations

import warnings

import pandas as pd
import pytest

import shoal
from command_line import run_shoal
from shoal.errors import DisclosureWarning, ParameterError, PlanError, ShoalError
from shoal.flow.request import OPTIONS

DROPPED = '[roles]\nhousehold_id = "identifier"\n'


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "data").mkdir()
    shoal.write_table(shoal.datasets.households(90, seed=7), tmp_path / "data" / "survey.csv")
    return tmp_path


def written(folder, text):
    (folder / "job.toml").write_text(text)
    return folder / "job.toml"


def test_file_and_k_are_enough(folder):
    shoal.write_table(shoal.datasets.expenditure(), folder / "small.csv")
    job = shoal.read_job(written(folder, 'file = "small.csv"\nk = 3\nseed = 1'))
    pd.testing.assert_frame_equal(job.run().data, shoal.protect(folder / "small.csv", 3, seed=1).data)
    ran = run_shoal("protect", "--job", "job.toml", "-q", cwd=folder)
    assert ran.returncode == 0, ran.stderr
    assert (folder / "small-masked.csv").is_file()


def test_a_job_is_what_protect_is(folder):
    job = shoal.read_job(
        written(
            folder,
            f"""
            file = "data/survey.csv"
            k = 4
            method = {{name = "mdav", variant = "two-k"}}
            replace = {{age = "median"}}
            edits = ["age >= 0"]
            decimals = {{tax = 1}}
            weights = "survey_weight"
            seed = 5
            blocks = [["age", "tax"], ["gross_income", "net_income"]]
            {DROPPED}
            """,
        )
    )
    with pytest.warns(DisclosureWarning):
        release = job.run()
    with pytest.warns(DisclosureWarning):
        expected = shoal.protect(
            folder / "data" / "survey.csv",
            4,
            method="mdav:variant=two-k",
            replace={"age": "median"},
            edits=["age >= 0"],
            decimals={"tax": 1},
            weights="survey_weight",
            seed=5,
            blocks=[["age", "tax"], ["gross_income", "net_income"]],
            roles={"household_id": "identifier"},
        )
    pd.testing.assert_frame_equal(release.data, expected.data)


def test_paths_are_relative_to_the_job(folder):
    (folder / "data" / "rules.txt").write_text("tax >= 0\n")
    (folder / "jobs").mkdir()
    (folder / "jobs" / "job.toml").write_text(
        'file = "../data/survey.csv"\nk = 3\noutput = "out.csv"\nreport = "r.html"\nsave_plan = "p.toml"\n'
        f'edits = "../data/rules.txt"\nkeep_order = true\n{DROPPED}'
    )
    ran = run_shoal("protect", "--job", "jobs/job.toml", "-q", cwd=folder)
    assert ran.returncode == 0, ran.stderr
    assert {path.name for path in (folder / "jobs").iterdir()} == {"job.toml", "out.csv", "r.html", "p.toml"}
    plan = shoal.Plan.from_toml(folder / "jobs" / "p.toml")
    assert plan.output.keep_order and [rule.text for rule in plan.edits] == ["tax >= 0"]


def test_options_of_the_command_line_win(folder):
    written(folder, f'file = "nothing.csv"\nk = 3\noutput = "a.csv"\nmethod = "vmdav"\nseed = 1\n{DROPPED}')
    ran = run_shoal(
        *("protect", "data/survey.csv", "--job", "job.toml", "-k", 6, "-o", "b.csv", "--method", "mdav", "--seed", 2),
        *("--role", "age=key", "-q"),
        cwd=folder,
    )
    assert ran.returncode == 0, ran.stderr
    plan = shoal.Plan.from_toml(folder / "b.csv.plan.toml")
    assert (plan.k, plan.method["name"], plan.seed) == (6, "mdav", 2)
    assert plan.roles == {"household_id": "identifier", "age": "key"}
    assert not (folder / "a.csv").exists()


def test_a_job_has_a_chain_of_steps(folder):
    text = f"""
    file = "data/survey.csv"
    k = 3
    seed = 9
    output = "out.csv"
    columns = ["region", "area", "age", "education", "tenure", "household_size"]
    as_is = []
    {DROPPED}
    survey_weight = "weight"
    [[then]]
    columns = ["gross_income", "tax", "net_income"]
    edits = ["tax + net_income == gross_income"]
    [[then]]
    k = 5
    seed = 77
    columns = ["wage_income", "savings"]
    """
    job = shoal.read_job(written(folder, text))
    with pytest.warns(DisclosureWarning) as caught:
        release = job.run()
    assert sum("NOT PROTECTED" in str(one.message) for one in caught) == 1
    assert [(step.k, step.seed) for step in (*release.plan.before, release.plan)] == [(3, 9), (3, 10), (5, 77)]
    assert run_shoal("protect", "--job", "job.toml", "-q", cwd=folder).returncode == 0
    first = (folder / "out.csv").read_bytes()
    assert run_shoal("protect", "--plan", "out.csv.plan.toml", "-q", cwd=folder).returncode == 0
    assert (folder / "out.csv").read_bytes() == first


def test_how_a_file_is_read_is_part_of_a_job(folder):
    (folder / "points.csv").write_text("a;b\n" + "".join(f"{row},5;{row % 4}\n" for row in range(30)))
    job = shoal.read_job(written(folder, 'file = "points.csv"\nk = 3\n[reading]\ndelimiter = ";"\ndecimal = ","'))
    assert list(job.run().data.columns) == ["a", "b"]
    assert job.run().plan.input.reading.delimiter == ";"


def test_every_option_of_protect_is_one_of_a_job(folder):
    for name in set(OPTIONS) - {"k"}:
        job = shoal.read_job(written(folder, f'{name} = "x"'))
        assert str(job.options[name]).endswith("x")


REFUSED = {
    "an unknown key": ('fil = "x.csv"', r'there is no key "fil"\. Did you mean "file"'),
    "an unknown option": ("metod = 3", r'there is no key "metod"\. Did you mean "method"'),
    "an unknown key in a step": ("[[then]]\ncolum = 3", r'no key "then.1.colum"\. Did you mean "columns"'),
    "a file in a step": ('[[then]]\nfile = "x"', 'no key "then.1.file"'),
    "steps in steps": ("[[then]]\n[[then.then]]\nk = 3", 'no key "then.1.then"'),
    "a step that is no table": ("then = [3]", "then must be tables"),
    "steps that are no list": ("[then]\nk = 3", "then must be tables"),
    "too many steps": ("[[then]]\nk=3\n" * 51, "51 further steps"),
    "a file that is a number": ("file = 3", "file: the name of a file is needed"),
    "a file without a name": ('file = ""', "file: the name of a file is needed"),
    "a file with a NUL": ('file = "a\\u0000b"', "file: the name of a file is needed"),
    "an output that is a list": ('output = ["a"]', "output: the name of a file is needed"),
    "an order that is a word": ('keep_order = "yes"', "keep_order must be true or false"),
    "reading that is a word": ('reading = "utf-8"', "reading must be a table"),
    "an unknown way of reading": ("[reading]\ndelimeter = 1", 'no key "reading.delimeter".*"delimiter"'),
    "a way of reading that cannot be": ("[reading]\ndelimiter = 1", "reading.delimiter"),
    "a date": ("k = 2020-01-01", "a date or a time"),
    "a time in a list": ("columns = [12:00:00]", "a date or a time"),
    "tables in tables": ("x = " + "{a=" * 30 + "1" + "}" * 30, "nested too deeply"),
    "a long number": ("k = " + "9" * 5000, "a number in it is too long"),
    "no TOML": ("k == 3", "is not TOML"),
    "two values": ("k = 3\nk = 4", "is not TOML"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_no_job_is_refused_in_one_line(folder, case):
    text, reason = REFUSED[case]
    with pytest.raises(PlanError, match=reason) as error:
        shoal.read_job(written(folder, text))
    assert "\n" not in str(error.value)
    assert str(error.value).startswith('The job "')
    ran = run_shoal("protect", "--job", "job.toml", cwd=folder)
    assert ran.returncode != 0 and len(ran.stderr.strip().splitlines()) == 1


def test_a_folder_bytes_and_too_much_are_no_jobs(folder):
    (folder / "bytes.toml").write_bytes(b"\xff\xfe\x00k")
    (folder / "huge.toml").write_bytes(b"#" * (1 << 24) + b"\nk = 3")
    for name in ("data", "bytes.toml", "huge.toml", "nothing.toml", "a\0b"):
        with pytest.raises(PlanError, match="cannot be read"):
            shoal.read_job(folder / name)


def test_what_is_read_is_not_overwritten(folder):
    rules = folder / "rules.txt"
    rules.write_text("tax >= 0\n")
    for output in ("job.toml", "data/survey.csv", "rules.txt"):
        written(folder, f'file = "data/survey.csv"\nk = 3\noutput = "{output}"\nedits = "rules.txt"\n{DROPPED}')
        before = (folder / output).read_bytes()
        ran = run_shoal("protect", "--job", "job.toml", cwd=folder)
        assert ran.returncode != 0
        assert (folder / output).read_bytes() == before


def test_a_job_that_is_its_own_file_is_no_table(folder):
    written(folder, 'file = "job.toml"\nk = 3')
    ran = run_shoal("protect", "--job", "job.toml", cwd=folder)
    assert ran.returncode != 0 and "Traceback" not in ran.stderr


def test_k_and_the_file_are_asked_for(folder):
    job = shoal.read_job(written(folder, 'file = "data/survey.csv"'))
    with pytest.raises(ParameterError, match="There is no default"):
        job.run()
    assert "-k 5" in run_shoal("protect", "--job", "job.toml", cwd=folder).stderr
    with pytest.raises(ParameterError, match="names no file"):
        shoal.read_job(written(folder, "k = 3")).run()
    assert "Name the file" in run_shoal("protect", "--job", "job.toml", cwd=folder).stderr


def test_a_plan_and_a_job_are_not_both_taken(folder):
    written(folder, "k = 3")
    ran = run_shoal("protect", "--job", "job.toml", "--plan", "plan.toml", cwd=folder)
    assert ran.returncode != 0 and "--job" in ran.stderr


STRANGE = ["3", "-1", "1.5", "nan", "true", '""', '"nothing"', "[]", "[1]", '["nothing"]', "[[1]]", "{}", "{a = 1}"]


STRANGELY = [name for name in OPTIONS if name not in ("seed", "standardize")]


@pytest.mark.parametrize("where", ["", "[[then]]\n"])
@pytest.mark.parametrize("option", STRANGELY)
def test_strange_values_are_refused_by_an_error_of_one_line(folder, option, where):
    shoal.write_table(shoal.datasets.expenditure(), folder / "small.csv")
    names = list(shoal.datasets.expenditure().columns)
    beside = "" if not where or option == "columns" else f'columns = ["{names[-1]}"]\n'
    k = "" if option == "k" and not where else "k = 3\n"
    for value in STRANGE:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                shoal.read_job(written(folder, f'file = "small.csv"\n{k}{where}{beside}{option} = {value}')).run()
            except ShoalError as error:
                assert "\n" not in str(error), value
