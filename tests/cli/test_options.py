"""Options that commands share are declared once, and their help lists what there is."""

from __future__ import annotations

import inspect
import json

import pandas as pd
import pytest

import shoal
from command_line import run_shoal
from shoal.cli.options import PROTECTION, READING, read_options, takes
from shoal.cli.protect import protect
from shoal.cli.texts import read_measure_options
from shoal.errors import ParameterError
from shoal.measure import MEASURES
from shoal.partition import METHODS
from shoal.replace import REPLACEMENTS


def test_every_option_of_protect_is_on_the_command_line_and_the_other_way_round():
    arguments = set(inspect.signature(shoal.protect).parameters) - {"data", "k", "method", "seed"}
    assert set(PROTECTION) == arguments
    assert set(PROTECTION) | set(READING) <= set(inspect.signature(protect).parameters)


def test_a_command_gets_a_group_as_what_was_given():
    seen = {}

    @takes(options=PROTECTION, reading=READING)
    def command(*, options: dict, reading: dict) -> None:
        seen.update(options=options, reading=reading)

    nothing = dict.fromkeys([*PROTECTION, *READING])
    command(**nothing)
    assert seen == {"options": {}, "reading": {}}
    command(**nothing | {"repair": True, "standardize": False, "columns": ["a,b"], "sheet": "1"})
    assert seen == {"options": {"repair": True, "standardize": False, "columns": ["a,b"]}, "reading": {"sheet": "1"}}


def read(name, texts, columns=()):
    return read_options({name: texts}, columns, {**PROTECTION, **READING})[name]


def test_orders_are_read_from_texts():
    assert read("orders", ["a,b=low<mid < high"]) == {"a": ["low", "mid", "high"], "b": ["low", "mid", "high"]}
    assert read("orders", ['a="1. < grade"<"2. = grade"<3']) == {"a": ["1. < grade", "2. = grade", "3"]}
    for wrong in (["a"], ["a="], ["a=low"], ["a=low<"], ["a=low<high", "a=high<low"]):
        with pytest.raises(ParameterError, match="--order"):
            read("orders", wrong)


def test_an_order_of_texts_reaches_every_step(tmp_path):
    path, out = tmp_path / "schools.csv", tmp_path / "out.csv"
    rows = "low,mid\nmid,high\nlow,low\nhigh,high\nmid,mid\nlow,high\n"
    path.write_text("child,parent\n" + rows * 3)
    (tmp_path / "rules.txt").write_text("child <= parent\n")
    order = ["--order", "child,parent=low<mid<high"]
    rules = ["--edits", str(tmp_path / "rules.txt")]
    assert "has no ordered categories" in run_shoal("check", path, *rules).stderr
    assert run_shoal("check", path, *rules, *order).returncode == 0
    columns = ["--columns", "child,parent", "-k", "3", "-o", out, "--seed", "1"]
    assert run_shoal("protect", path, *columns, *rules, *order).returncode == 0
    plan = f"{out}.plan.toml"
    assert run_shoal("check", out, *rules, *order).returncode == 0
    assert run_shoal("measure", path, out, "--plan", plan).returncode == 0
    released = out.read_bytes()
    assert run_shoal("protect", "--plan", plan).returncode == 0
    assert out.read_bytes() == released
    wrong = run_shoal("check", path, *rules, "--order", "child,parent=low<mid")
    assert (wrong.returncode, wrong.stderr.count("\n")) == (2, 1)


def test_filling_and_dominance_reach_every_step(tmp_path):
    table = pd.DataFrame({"x": [0.5, 0.25, 0, 0, 0, 9, 1, 2, 3.5], "y": [1.5, 2, None, 4, 5, 6, 7, 8, None]})
    table.to_csv(tmp_path / "t.csv", index=False)
    rules = tmp_path / "rules.txt"
    rules.write_text("x >= 0")
    kinds = ["--kind", "x=continuous", "--kind", "y=continuous"]
    asked = ["protect", "t.csv", "-k", 3, *kinds, "--missing", "fill", "--dominance", "70", "--edits", rules]
    first = run_shoal(*asked, "-o", "m.csv", cwd=tmp_path)
    assert first.returncode == 0 and 'got the value of their group: 2, in "y" (2).' in first.stdout
    plan = shoal.Plan.from_toml(tmp_path / "m.csv.plan.toml")
    assert (plan.missing, plan.dominance, plan.outcome.filled) == ("fill", 70, {"y": 2})
    made = sorted((tmp_path / "m.csv").read_text().splitlines())
    assert run_shoal("protect", "--plan", "m.csv.plan.toml", "-o", "n.csv", cwd=tmp_path).returncode == 0
    assert sorted((tmp_path / "n.csv").read_text().splitlines()) == made
    explained = run_shoal(*asked, "--explain", cwd=tmp_path).stdout
    assert "Groups are joined until no record is more than 70 % of a sum." in explained
    refused = run_shoal("protect", "t.csv", "-k", 3, *kinds, "--missing", "fill", "--dominance", "40", cwd=tmp_path)
    assert refused.returncode == 1 and 'of the sum of "x"' in refused.stderr


@pytest.mark.parametrize("command", ["protect", "compare"])
def test_the_help_lists_every_method_and_replacement(command):
    ran = run_shoal(command, "--help")
    words = " ".join(ran.stdout.replace("-\n", "-").split())
    for catalogue in (METHODS, REPLACEMENTS):
        for name, kind in catalogue.items():
            assert f" {name} " in words and kind.summary[:30] in words


@pytest.mark.parametrize("command", ["measure", "report"])
def test_the_help_lists_every_option_of_every_measure(command):
    words = " ".join(run_shoal(command, "--help").stdout.replace("-\n", "-").split())
    assert "--option" in words
    for name, measure in MEASURES.items():
        for option in measure.options:
            assert f"{option}=" in words.partition(f" {name} ")[2]


def test_a_column_is_given_one_value_only():
    with pytest.raises(ParameterError, match='--decimals gives "a" two values, 2 and 3'):
        read("decimals", ["a=2,a=3"])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("files")
    survey = shoal.datasets.households(120, seed=7)[["region", "age", "wage_income", "tax"]]
    shoal.write_table(survey, place / "survey.csv")
    options = ("-k", 4, "--as-is", "region", "--keep-order", "-o", "masked.csv", "-q")
    ran = run_shoal("protect", "survey.csv", *options, cwd=place)
    assert ran.returncode == 0
    return place


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("distance_linkage:direction=masked-to-original,ties=any", {"direction": "masked-to-original", "ties": "any"}),
        ("distance_linkage:scale=original,ties=unique", {"scale": "original", "ties": "unique"}),
        ("distance_linkage:known=[age,tax]", {"known": ["age", "tax"]}),
        ("linkage_over_subsets:known=[age,tax],ties=any", {"known": ["age", "tax"], "ties": "any"}),
        ("probabilistic_linkage:tolerance=.3,sample=none", {"tolerance": 0.3, "sample": None}),
        ("interval_disclosure:kind=sd,width=5", {"kind": "sd", "width": 5}),
        ("score:weights=2001", {"weights": "2001"}),
        ("transparency_attack:known=2", {"known": 2}),
        ("transparency_attack:known=age", {"known": "age"}),
        ("subdomain_difference:by=region,least=5", {"by": "region", "least": 5}),
    ],
)
def test_an_option_gives_what_the_measure_gives(folder, text, options):
    name = text.partition(":")[0]
    ran = run_shoal(
        *("measure", "survey.csv", "masked.csv", "--plan", "masked.csv.plan.toml"),
        *("--measures", name, "--option", text, "--json"),
        cwd=folder,
    )
    document = json.loads(ran.stdout)
    files = [pd.read_csv(folder / file) for file in ("survey.csv", "masked.csv")]
    more = {"method": "mdav", "k": 4} if name == "transparency_attack" else {}
    columns = ["age", "wage_income", "tax"]
    expected = shoal.evaluate(*files, columns, measures=[name], options={name: options}, **more).measured[name]
    side = MEASURES[name].about.side
    assert (document["score"] if side == "score" else document[side][name]) == expected
    assert document["options"] == {name: {**MEASURES[name].options, **options}}


def test_several_options_are_printed_and_reported(folder):
    given = ["--option", "distance_linkage:ties=any", "--option", "distance_linkage:scale=original"]
    given += ["--option", "score:weights=2001"]
    ran = run_shoal("measure", "survey.csv", "masked.csv", "--quick", *given, cwd=folder)
    assert "options: distance_linkage:ties=any,scale=original\noptions: score:weights=2001\n" in ran.stdout
    plan = ["--plan", "masked.csv.plan.toml"]
    for audience in ("internal", "public"):
        page = f"{audience}.html"
        ran = run_shoal(
            "report", "survey.csv", "masked.csv", *plan, "--audience", audience, "-o", page, *given, cwd=folder
        )
        assert ran.returncode == 0, ran.stderr
        assert "Measured with ties = any, scale = original." in (folder / page).read_text()


COMMANDS = [
    ["measure", "not-there.csv", "not-there.csv"],
    ["report", "not-there.csv", "not-there.csv"],
    ["compare", "not-there.csv", "-k", "3"],
    ["tune", "not-there.csv", "--trials", "1"],
]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("distance_linkge:ties=any", 'Did you mean "distance_linkage"'),
        ("distance_linkage:tie=any", 'distance_linkage has no option "tie". Did you mean "ties"'),
        ("distance_linkage:ties=anny", 'Did you mean "any"'),
        ("distance_linkage:seed=3", "seed is the same for all measures"),
        ("interval_disclosure:width=-1", "width must be a number above 0"),
        ("distance_linkage", "--option wants MEASURE:OPTION=VALUE"),
        ("distance_linkage:ties", "--option wants MEASURE:OPTION=VALUE"),
        ("distance_linkage:ties=", "--option wants MEASURE:OPTION=VALUE"),
    ],
)
def test_a_wrong_option_is_one_line_before_the_file_is_read(command, text, message, tmp_path):
    ran = run_shoal(*command, "--option", text, cwd=tmp_path)
    assert ran.returncode == 2
    assert message in ran.stderr and ran.stderr.count("\n") == 1
    assert "not-there" not in ran.stderr and not list(tmp_path.iterdir())


@pytest.mark.parametrize("command", COMMANDS[2:], ids=lambda command: command[0])
def test_only_what_a_trial_measures_has_options_there(command, tmp_path):
    ran = run_shoal(*command, "--option", "propensity:x=1", cwd=tmp_path)
    assert ran.returncode == 2
    assert "propensity is not measured here; information_loss, " in ran.stderr


def test_an_option_has_one_value():
    assert read_measure_options(["score:weights=2001", "score: weights = 2001"]) == {"score": {"weights": 2001}}
    with pytest.raises(ParameterError, match="--option gives weights of score two values"):
        read_measure_options(["score:weights=2001", "score:weights=equal"])


def test_categories_are_one_word_or_one_for_each_column():
    assert read("categories", ["suppress"]) == "suppress"
    assert read("categories", ["region=within,water=suppress", "sex=group"]) == {
        "region": "within",
        "water": "suppress",
        "sex": "group",
    }
    with pytest.raises(ParameterError, match="one word for all columns, or COLUMN=WORD for each of them; got within"):
        read("categories", ["within", "a=suppress"])
    with pytest.raises(ParameterError, match='--categories gives "a" two values, within and group'):
        read("categories", ["a=within,a=group"])


def test_categories_are_kept_and_said(tmp_path):
    rows = [f"{'NNNNSSSE'[row % 8]},{'abc'[row % 3]},{row * 37 % 101}.5" for row in range(96)]
    (tmp_path / "t.csv").write_text("\n".join(["region,job,income", *rows]), encoding="utf-8")
    ran = run_shoal(
        "protect", "t.csv", "-k", 5, "--categories", "region=suppress,job=within", "-o", "m.csv", cwd=tmp_path
    )
    assert ran.returncode == 0, ran.stderr
    assert "region (--categories: true values, cells suppressed)" in ran.stdout
    assert "job (--categories: true values, groups stay within them)" in ran.stdout
    assert "Cells suppressed: " in ran.stdout
    assert "[categories]" in (tmp_path / "m.csv.plan.toml").read_text(encoding="utf-8")
