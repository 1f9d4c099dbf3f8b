"""The command line as a newcomer meets it."""

from __future__ import annotations

import json
import subprocess
import sys
from decimal import Decimal

import pandas as pd
import pytest

import shoal
from command_line import run_alone
from command_line import run_shoal as run
from unchanged_columns import run_part

DROP = ("--role", "household_id=identifier")


@pytest.fixture
def folder(tmp_path):
    shoal.write_table(shoal.datasets.households(150, seed=7), tmp_path / "survey.csv")
    return tmp_path


def test_protect_writes_release_and_plan_and_says_so(folder):
    ran = run("protect", "survey.csv", "-k", 5, "--role", "household_id=identifier", "-o", "masked.csv", cwd=folder)
    assert ran.returncode == 0, ran.stderr
    assert "5, the fewest records behind any released value" in ran.stdout
    assert "masked.csv" in ran.stdout
    assert ran.stderr == ""
    masked = pd.read_csv(folder / "masked.csv")
    assert len(masked) == 150
    assert "household_id" not in masked
    again = run("protect", "--plan", "masked.csv.plan.toml", "-o", "again.csv", cwd=folder)
    assert again.returncode == 0, again.stderr
    assert (folder / "again.csv").read_bytes() == (folder / "masked.csv").read_bytes()


def test_the_plan_alone_repeats_the_release_in_its_place(folder):
    run("protect", "survey.csv", "-k", 3, *DROP, "-o", "masked.csv", "-q", cwd=folder)
    first = (folder / "masked.csv").read_bytes()
    (folder / "masked.csv").unlink()
    assert run("protect", "--plan", "masked.csv.plan.toml", cwd=folder).returncode == 0
    assert (folder / "masked.csv").read_bytes() == first


def test_the_default_output_stands_beside_nothing_it_could_hurt(folder):
    assert run("protect", "survey.csv", "-k", 3, *DROP, "-q", cwd=folder).returncode == 0
    assert sorted(path.name for path in folder.iterdir()) == [
        "survey-masked.csv",
        "survey-masked.csv.plan.toml",
        "survey.csv",
    ]


def test_quiet_prints_nothing(folder):
    ran = run("protect", "survey.csv", "-k", 3, "--role", "household_id=identifier", "--quiet", cwd=folder)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")


def test_warnings_are_one_line_each(folder):
    ran = run("protect", "survey.csv", "-k", 3, "--as-is", "household_id", "-q", cwd=folder)
    assert ran.returncode == 0
    expected = "NOT PROTECTED (1): household_id. On these, 150 of 150 records are unique."
    assert ran.stderr == f"shoal: warning: {expected}\n"


def test_nothing_is_written_until_every_column_is_decided(folder):
    ran = run("protect", "survey.csv", "-k", 3, cwd=folder)
    assert ran.returncode == 1
    assert '"household_id" (texts nearly all different)' in ran.stderr
    assert [path.name for path in folder.iterdir()] == ["survey.csv"]


def test_options_reach_the_flow(folder):
    ran = run(
        "protect",
        "survey.csv",
        "-k",
        3,
        "--columns",
        "age,tax",
        "--columns",
        "tenure",
        "--strata",
        "area",
        "--weights",
        "survey_weight",
        "--replace",
        "age=median",
        "--replace",
        "tax=order-statistic:q=0.25",
        "--role",
        "household_id=identifier",
        "--seed",
        11,
        "--blocks",
        "age,tax",
        "--blocks",
        "tenure",
        "-q",
        cwd=folder,
    )
    assert ran.returncode == 0, ran.stderr
    plan = shoal.Plan.from_toml(folder / "survey-masked.csv.plan.toml")
    assert plan.blocks == [["age", "tax"], ["tenure"]]
    assert plan.replace["tax"] == {"name": "order-statistic", "q": 0.25}
    assert plan.strata == ["area"]
    assert plan.seed == 11


def test_describe_suggests_and_shows_no_value(folder):
    ran = run("describe", "survey.csv", cwd=folder)
    assert ran.returncode == 0, ran.stderr
    rows = {line.split()[0]: line.split()[1:3] for line in ran.stdout.splitlines()[4:]}
    assert rows["household_id"][1] == "identifier"
    assert rows["survey_weight"] == ["continuous", "weight"]
    assert rows["region"] == ["nominal", "stratum"]
    facts = json.loads(run("describe", "survey.csv", "--json", cwd=folder).stdout)
    assert {fact["name"] for fact in facts} == set(pd.read_csv(folder / "survey.csv").columns)


def test_demo_runs_the_whole_flow_and_the_plan_it_prints_repeats_it(tmp_path):
    ran = run_alone("demo", "-n", 800, cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    masked = (tmp_path / "shoal-demo" / "masked.csv").read_bytes()
    command = ran.stdout.strip().splitlines()[-1].partition("shoal ")[2].split()
    assert run_alone(*command, cwd=tmp_path).returncode == 0
    assert (tmp_path / "shoal-demo" / "masked.csv").read_bytes() == masked


@pytest.mark.parametrize(
    "arguments", [["protect"], ["protect", "survey.csv"], ["nonsense"], ["protect", "none.csv", "-k", "3"]]
)
def test_a_wrong_command_is_refused(folder, arguments):
    ran = run(*arguments, cwd=folder)
    assert ran.returncode in (1, 2)
    assert "Traceback" not in ran.stderr
    assert [path.name for path in folder.iterdir()] == ["survey.csv"]


def test_options_beside_a_plan_are_refused(folder):
    run("protect", "survey.csv", "-k", 3, *DROP, "-o", "m.csv", "-q", cwd=folder)
    ran = run("protect", "--plan", "m.csv.plan.toml", "-k", 4, cwd=folder)
    assert ran.returncode == 2
    assert "-k cannot change it" in ran.stderr


def test_help_and_version():
    assert "protect" in run("--help").stdout
    assert run().stdout == run("--help").stdout
    assert run("--version").stdout.strip() == f"shoal {shoal.__version__}"


def test_the_input_is_never_the_output(folder):
    before = (folder / "survey.csv").read_bytes()
    ran = run("protect", "survey.csv", "-k", 3, "-o", "survey.csv", cwd=folder)
    assert ran.returncode == 1
    assert "never overwrites its input" in ran.stderr
    assert (folder / "survey.csv").read_bytes() == before
    assert [path.name for path in folder.iterdir()] == ["survey.csv"]


def test_a_plan_and_its_release_are_two_files(folder):
    ran = run("protect", "survey.csv", "-k", 3, "-o", "m.csv", "--save-plan", "m.csv", cwd=folder)
    assert ran.returncode == 1
    assert "cannot be both" in ran.stderr
    assert [path.name for path in folder.iterdir()] == ["survey.csv"]


def test_targets_are_checked_before_the_work_and_both_or_none_are_written(folder):
    for options in (
        ["-o", "x.csv", "--save-plan", "nowhere/p.toml"],
        ["-o", "nowhere/x.csv"],
        ["-o", "x.xyz"],
        ["-o", ""],
    ):
        ran = run("protect", "survey.csv", "-k", 3, *options, cwd=folder)
        assert ran.returncode in (1, 2)
        assert ran.stderr.count("\n") == 1
        assert [path.name for path in folder.iterdir()] == ["survey.csv"]


def test_a_plan_on_another_file_leaves_the_first_release_alone(folder):
    run("protect", "survey.csv", "-k", 3, *DROP, "-o", "m.csv", "-q", cwd=folder)
    before = (folder / "m.csv").read_bytes()
    shoal.write_table(shoal.datasets.households(100, seed=8), folder / "new.csv")
    ran = run("protect", "new.csv", "--plan", "m.csv.plan.toml", "-q", cwd=folder)
    assert ran.returncode == 0, ran.stderr
    assert (folder / "m.csv").read_bytes() == before
    assert shoal.Plan.from_toml(folder / "new-masked.csv.plan.toml").input.records == 100


@pytest.mark.parametrize(
    "options", [["--method", "mdav"], ["--missing", "keep"], ["--no-standardize"], ["--encoding", "utf-8"]]
)
def test_no_option_beside_a_plan_is_silently_ignored(folder, options):
    run("protect", "survey.csv", "-k", 3, *DROP, "-o", "m.csv", "-q", cwd=folder)
    ran = run("protect", "--plan", "m.csv.plan.toml", *options, cwd=folder)
    assert ran.returncode == 2
    assert "cannot change it" in ran.stderr


def test_packed_files_keep_their_ending(folder):
    shoal.write_table(shoal.datasets.expenditure(), folder / "e.csv.gz")
    assert run("protect", "e.csv.gz", "-k", 3, "-q", cwd=folder).returncode == 0
    assert (folder / "e-masked.csv.gz").exists()


def test_names_with_signs_in_them(folder):
    frame = pd.DataFrame({"a=b": range(9), "c,d": range(9), "e:f": range(9)})
    shoal.write_table(frame * frame, folder / "odd.csv")
    ran = run("protect", "odd.csv", "-k", 3, "--replace", "a=b=median", "--replace", "e:f=order-statistic:q=0.5",
              "--replace", "c,d=mean", "--columns", 'a=b,"c,d"', "--columns", "e:f", "-q", cwd=folder)  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    plan = shoal.Plan.from_toml(folder / "odd-masked.csv.plan.toml")
    assert plan.replace["a=b"] == {"name": "median"}
    assert plan.replace["e:f"] == {"name": "order-statistic", "q": 0.5}


@pytest.mark.parametrize(
    "arguments", [["protect", "survey.csv", "-k", "2.5"], ["--bogus"], ["nonsense"], ["protect", "--columns", "a"]]
)
def test_a_command_that_is_not_understood_is_one_line(folder, arguments):
    ran = run(*arguments, cwd=folder)
    assert ran.returncode == 2
    assert ran.stderr.startswith("shoal: error: ")
    assert ran.stderr.count("\n") == 1


def test_an_interrupt_says_that_nothing_is_half_written(folder):
    code = (
        "import os, signal, shoal.write, shoal.__main__\n"
        "def interrupted(*a, **k): os.kill(os.getpid(), signal.SIGINT)\n"
        "shoal.write.refuse_targets = interrupted\n"
        "shoal.__main__.main()\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code, "protect", "survey.csv", "-k", "3"], capture_output=True, text=True, cwd=folder
    )
    assert ran.returncode == 130
    assert "interrupted; no file was left half written" in ran.stderr


def test_measure_prints_what_each_figure_is_and_which_way_is_good(folder):
    run("protect", "survey.csv", "-k", 5, "--columns", "age,gross_income,tax", "-o", "masked.csv", "-q", cwd=folder)
    ran = run("measure", "survey.csv", "masked.csv", "--plan", "masked.csv.plan.toml", cwd=folder)
    assert ran.returncode == 0, ran.stderr
    assert "3 columns of 150 records" in ran.stdout
    for words in ("Transparency attack", "Information loss", "lower", "higher", "Score", "not applicable"):
        assert words in ran.stdout


def test_measure_as_json(folder):
    run("protect", "survey.csv", "-k", 5, "--columns", "age,gross_income,tax", "-o", "masked.csv", "-q", cwd=folder)
    ran = run("measure", "survey.csv", "masked.csv", "--columns", "age,tax", "--json", "-o", "f.json", cwd=folder)
    found = json.loads(ran.stdout)
    assert found == json.loads((folder / "f.json").read_text())
    original = shoal.read_table(folder / "survey.csv")
    with pytest.warns(shoal.errors.IdentifierWarning):  # of the plan: household_id is released as it is
        masked = run_part(shoal.Plan.from_toml(folder / "masked.csv.plan.toml")).data
    expected = shoal.evaluate(original, masked, ["age", "tax"], measures=["score", "sse"])
    assert found["score"] == pytest.approx(expected.score)
    assert found["headline"] == expected.headline
    assert "takes long" not in ran.stdout
    quick = json.loads(run("measure", "survey.csv", "masked.csv", "--quick", "--json", cwd=folder).stdout)
    assert "takes long" in quick["left_out"]["propensity"]


def test_rows_are_in_random_order_unless_their_order_is_to_be_kept(folder):
    options = ["survey.csv", "-k", 3, "--columns", "age,tax", "--seed", 1, "-q"]
    kept = run("protect", *options, "-o", "kept.csv", "--keep-order", cwd=folder)
    assert "in the order of the input" in kept.stderr
    random = [run("protect", *options, "-o", name, cwd=folder) for name in ("one.csv", "two.csv")]
    assert not any("order" in ran.stderr for ran in random)
    tables = [pd.read_csv(folder / f"{name}.csv") for name in ("kept", "one", "two")]
    originals = pd.read_csv(folder / "survey.csv")
    assert tables[0]["wage_income"].tolist() == originals["wage_income"].tolist()
    for one, other in ((0, 1), (0, 2), (1, 2)):  # the order is not that of the seed
        assert tables[one]["wage_income"].tolist() != tables[other]["wage_income"].tolist()
    again = run("protect", "--plan", "kept.csv.plan.toml", "-o", "again.csv", cwd=folder)
    assert "in the order of the input" in again.stderr
    assert (folder / "again.csv").read_bytes() == (folder / "kept.csv").read_bytes()


def test_shuffle_says_what_took_its_place(folder):
    ran = run("protect", "survey.csv", "-k", 3, "--shuffle", cwd=folder)
    assert (ran.returncode, ran.stderr.count("\n")) == (2, 1)
    assert "--keep-order" in ran.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["survey.csv", "nothing.csv"], "nothing.csv"),
        (["survey.csv", "survey.csv", "--measures", "see"], 'Did you mean "sse"'),
        (["survey.csv", "survey.csv", "--columns", "agee"], 'no column "agee"'),
        (["survey.csv", "survey.csv", "--method", "mdva", "-k", "3"], 'Did you mean "mdav"'),
        (["survey.csv", "survey.csv", "-o", "survey.csv"], "survey.csv"),
        (["survey.csv", "survey.csv", "--kind", "age=number"], "kinds must be one of"),
    ],
)
def test_measure_refuses_in_one_line(folder, arguments, message):
    before = (folder / "survey.csv").read_bytes()
    ran = run("measure", *arguments, cwd=folder)
    assert ran.returncode in (1, 2)
    assert message in ran.stderr
    assert ran.stderr.count("\n") == 1
    assert (folder / "survey.csv").read_bytes() == before


def test_a_fuzzy_release_keeps_the_rules_of_a_file(folder):
    (folder / "rules.txt").write_text("net_income + tax == gross_income\n")
    ran = run(
        *("protect", "survey.csv", "-k", 3, "--columns", "net_income,tax,gross_income", "--method", "fuzzy"),
        *("--edits", "rules.txt", "-o", "masked.csv"),
        cwd=folder,
    )
    assert ran.returncode == 0, ran.stderr
    masked = pd.read_csv(folder / "masked.csv")
    assert (masked["net_income"] + masked["tax"]).to_numpy() == pytest.approx(masked["gross_income"].to_numpy())
    assert masked.groupby(["net_income", "tax", "gross_income"]).size().min() >= 3
    first = (folder / "masked.csv").read_bytes()
    assert run("protect", "--plan", "masked.csv.plan.toml", cwd=folder).returncode == 0
    assert (folder / "masked.csv").read_bytes() == first


def test_the_figures_are_not_written_over_the_plan(folder):
    run("protect", "survey.csv", "-k", 5, "--columns", "age,tax", "-o", "masked.csv", "-q", cwd=folder)
    plan = folder / "masked.csv.plan.toml"
    before = plan.read_bytes()
    ran = run("measure", "survey.csv", "masked.csv", "--plan", plan, "-o", plan, cwd=folder)
    assert ran.returncode != 0
    assert "cannot be both the plan that is read and the" in ran.stderr
    assert plan.read_bytes() == before


def test_measure_says_what_it_did_not_compare_and_that_the_file_is_another(folder):
    run("protect", "survey.csv", "-k", 5, "--columns", "age,tax", "-o", "masked.csv", "-q", cwd=folder)
    ran = run("measure", "survey.csv", "masked.csv", "--plan", "masked.csv.plan.toml", "--measures", "sse", cwd=folder)
    assert "utility not measured, though both files have them: household_id, region" in ran.stdout
    assert "not asked for" not in ran.stdout
    assert ran.stderr == ""
    pd.read_csv(folder / "survey.csv").to_csv(folder / "other.csv", index=True)
    ran = run("measure", "other.csv", "masked.csv", "--plan", "masked.csv.plan.toml", "--measures", "sse", cwd=folder)
    assert "is not the file the plan was made for" in ran.stderr


def test_methods_within_methods(folder):
    methods = "mdav,refine:steps=32,start=vmdav:gamma=0.5,refine:start=(hac:linkage=single,priority=1),steps=8,"
    ran = run("compare", "survey.csv", "-k", 3, "--columns", "age,tax", "--methods", methods, cwd=folder)
    assert ran.returncode == 0, ran.stderr
    assert set(pd.read_csv(folder / "survey-compared.csv")["method"]) == {
        "mdav",
        "refine:steps=32,start=vmdav:gamma=0.5",
        "refine:start=(hac:linkage=single,priority=1),steps=8",
    }


def test_hybrid_data_on_the_command_line(folder):
    ran = run(
        *("protect", "survey.csv", "-k", 20, "--columns", "age,wage_income,tax,net_income"),
        *("--replace", "hybrid", "--confidential", "tax,net_income", "-o", "masked.csv"),
        cwd=folder,
    )
    assert ran.returncode == 0, ran.stderr
    assert "rewritten   2 of" in ran.stdout
    assert "easier to link" in ran.stdout
    before, after = (pd.read_csv(folder / name) for name in ("survey.csv", "masked.csv"))
    assert sorted(after["age"]) == sorted(before["age"])
    assert after[["tax", "age"]].cov().to_numpy() == pytest.approx(before[["tax", "age"]].cov().to_numpy())


def test_explain_prints_the_plan_and_writes_nothing(folder):
    (folder / "rules.txt").write_text("gross_income - tax == net_income\nif age < 30 then net_income <= gross_income\n")
    before = sorted(folder.iterdir())
    ran = run("protect", "survey.csv", "-k", 3, *DROP, "--edits", "rules.txt", "--explain", cwd=folder)
    assert ran.returncode == 0, ran.stderr
    assert "gross_income - tax == net_income" in ran.stdout
    assert "computed from the others" in ran.stdout
    assert "Nothing was masked or written." in ran.stdout
    assert sorted(folder.iterdir()) == before
    ran = run("protect", "survey.csv", "-k", 3, *DROP, "--explain", cwd=folder)
    assert (ran.returncode, "no rules to explain" in ran.stderr) == (2, True)


def test_rules_choose_the_replacement_and_repair_mends(folder):
    (folder / "rules.txt").write_text("net_income + tax == gross_income\nage is integer\n")
    ran = run("protect", "survey.csv", "-k", 3, *DROP, "--edits", "rules.txt", "-o", "kept.csv", cwd=folder)
    assert ran.returncode == 0, ran.stderr
    assert "All 2 rules hold in the release" in ran.stdout
    assert run("check", "kept.csv", "--edits", "rules.txt", cwd=folder).returncode == 0
    text = pd.read_csv(folder / "kept.csv", dtype=str)[["net_income", "tax", "gross_income"]].map(Decimal)
    assert (text.net_income + text.tax == text.gross_income).all()
    survey = pd.read_csv(folder / "survey.csv")
    survey.loc[:4, "tax"] += 1
    survey.to_csv(folder / "broken.csv", index=False)
    ran = run("protect", "broken.csv", "-k", 3, *DROP, "--edits", "rules.txt", "-o", "mended.csv", cwd=folder)
    assert (ran.returncode, "5 of" in ran.stderr, (folder / "mended.csv").exists()) == (1, True, False)
    ran = run(
        "protect", "broken.csv", "-k", 3, *DROP, "--edits", "rules.txt", "--repair", "-o", "mended.csv", cwd=folder
    )
    assert ran.returncode == 0, ran.stderr
    assert run("check", "mended.csv", "--edits", "rules.txt", cwd=folder).returncode == 0


def test_a_plan_is_not_overwritten_by_that_of_another_release(folder):
    run("protect", "survey.csv", "-k", 5, "--columns", "age,tax", "-o", "masked.csv", "-q", cwd=folder)
    plan, other = folder / "masked.csv.plan.toml", folder / "other.csv"
    before = plan.read_bytes()
    other.write_bytes((folder / "survey.csv").read_bytes())
    ran = run("protect", other, "--plan", plan, "-o", "o.csv", "--save-plan", plan, cwd=folder)
    assert ran.returncode == 1 and "cannot be both the plan that is read and the plan" in ran.stderr
    assert plan.read_bytes() == before
    assert run("protect", "--plan", plan, "--save-plan", plan, "-q", cwd=folder).returncode == 0


def test_a_misspelt_command_is_answered_in_whole_sentences(folder):
    ran = run("protct", "survey.csv", cwd=folder)
    assert ran.returncode == 2
    assert ran.stderr == "shoal: error: No such command 'protct'. Did you mean 'protect'? Try shoal --help.\n"
