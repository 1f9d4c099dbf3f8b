"""Released values with a given number of decimals: rules hold in the written text, and k holds still."""

from __future__ import annotations

import csv
import sys
import warnings
from collections import Counter
from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

import shoal
from command_line import run_shoal
from shoal.edits.keep.rounding import most_decimals
from shoal.errors import ColumnError, DataError, DisclosureWarning, ParameterError, PlanError, RuleError, ShoalError
from unchanged_columns import protect_part

RULE = "net + tax == gross"


@pytest.fixture
def incomes():
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"net": rng.lognormal(7, 1, 90).round(2), "tax": rng.lognormal(5, 1, 90).round(2)})
    frame["gross"] = (frame.net + frame.tax).round(2)
    return frame


def written(release, path):
    """Return the rows of the written file, its numbers as the text has them."""
    release.write(path)
    with path.open(newline="") as file:
        return [{name: Decimal(cell) if cell else None for name, cell in row.items()} for row in csv.DictReader(file)]


def decimals_of(number):
    return max(0, -number.normalize().as_tuple().exponent)


def adds_up(rows):
    return [row["net"] + row["tax"] == row["gross"] for row in rows]


def test_without_decimals_a_rounded_file_does_not_add_up(incomes, tmp_path):
    rows = written(shoal.protect(incomes, 3, edits=[RULE], seed=1), tmp_path / "out.csv")
    rounded = [{name: cell.quantize(Decimal("0.01")) for name, cell in row.items()} for row in rows]
    assert not all(adds_up(rounded))


def test_with_decimals_the_text_adds_up(incomes, tmp_path):
    release = shoal.protect(incomes, 3, edits=[RULE], decimals=2, seed=1)
    rows = written(release, tmp_path / "out.csv")
    assert all(adds_up(rows))
    assert max(decimals_of(cell) for row in rows for cell in row.values()) == 2
    assert min(Counter(tuple(row.values()) for row in rows).values()) >= 3
    assert "Rounded to 2 decimals" in " ".join(release.plan.outcome.notes)


def test_values_move_by_no_more_than_last_digits(incomes):
    before = shoal.protect(incomes, 3, edits=[RULE], seed=1).data
    after = shoal.protect(incomes, 3, edits=[RULE], decimals=2, seed=1).data
    assert (before - after).abs().max().max() <= 0.011


def test_by_default_values_in_memory_keep_all_digits(incomes, tmp_path):
    release = shoal.protect(incomes, 3, seed=1)
    before = release.data.copy()
    release.write(tmp_path / "out.csv")
    assert release.plan.decimals == {}
    pd.testing.assert_frame_equal(release.data, before, check_exact=True)
    assert max(decimals_of(Decimal(str(cell))) for cell in before.to_numpy().ravel()) > 8


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".csv.gz", ".xml", ".xlsx"])
def test_by_default_text_has_the_decimals_of_the_column_and_two(incomes, tmp_path, ending):
    frame = incomes.assign(age=np.arange(90) % 37 + 20)
    release = shoal.protect(frame, 3, kinds={"age": "continuous"}, seed=1)
    release.write(tmp_path / f"out{ending}", keep_order=False)
    found = shoal.read_table(tmp_path / f"out{ending}")
    digits = {name: max(decimals_of(Decimal(repr(float(cell)))) for cell in found[name]) for name in frame}
    assert digits == {"net": 4, "tax": 4, "gross": 4, "age": 2}
    plan = shoal.Plan.from_toml(tmp_path / f"out{ending}.plan.toml")
    assert (plan.output.extra_decimals, plan.output.decimals) == (2, digits)


@pytest.mark.filterwarnings("ignore:The rows of:shoal.errors.DisclosureWarning")
@pytest.mark.parametrize("ending", [".parquet", ".feather", ".arrow", ".sav", ".dta"])
def test_formats_that_hold_floats_keep_all_digits(incomes, tmp_path, ending):
    release = shoal.protect(incomes, 3, seed=1)
    release.write(tmp_path / f"out{ending}", keep_order=True)
    found = shoal.read_table(tmp_path / f"out{ending}")
    np.testing.assert_array_equal(found.to_numpy(), release.data.to_numpy())
    assert shoal.Plan.from_toml(tmp_path / f"out{ending}.plan.toml").output.decimals == {}


@pytest.mark.filterwarnings("ignore:The rows of:shoal.errors.DisclosureWarning")
def test_a_plan_repeats_the_text_and_one_of_before_has_all_digits(incomes, tmp_path):
    incomes.to_csv(tmp_path / "in.csv", index=False)
    shoal.protect(tmp_path / "in.csv", 3, seed=1).write(tmp_path / "out.csv")
    plan = tmp_path / "out.csv.plan.toml"
    shoal.Plan.from_toml(plan).run().write(tmp_path / "again.csv")
    assert (tmp_path / "again.csv").read_bytes() == (tmp_path / "out.csv").read_bytes()
    text = plan.read_text()
    section = text[text.index("[output.decimals]") :].split("\n\n")[0]
    plan.write_text(text.replace(section, "").replace("extra_decimals = 2\n", ""))
    release = shoal.Plan.from_toml(plan).run()
    release.write(tmp_path / "full.csv", keep_order=True)
    np.testing.assert_array_equal(pd.read_csv(tmp_path / "full.csv", float_precision="round_trip"), release.data)
    release.write(tmp_path / "once more.csv")
    assert shoal.Plan.from_toml(tmp_path / "once more.csv.plan.toml").output.extra_decimals is None


def test_k_and_uniques_are_counted_on_what_is_written(tmp_path):
    """Noise tells all records apart; rounded to hundredths, many are the same."""
    frame = pd.DataFrame({"x": np.random.default_rng(1).integers(0, 3, 400)})
    with pytest.warns(DisclosureWarning, match="k"):
        release = shoal.protect(frame, 2, columns=["x"], kinds={"x": "continuous"}, replace="noise", seed=1)
    assert release.headline["uniques"] == release.plan.outcome.uniques == 400
    release.write(tmp_path / "out.csv")
    alone = sum(count == 1 for count in Counter((tmp_path / "out.csv").read_text().split()[1:]).values())
    assert 0 < alone < 400
    assert release.headline["uniques"] == release.evaluate(measures=["sse"]).headline["uniques"] == alone
    assert shoal.Plan.from_toml(tmp_path / "out.csv.plan.toml").outcome.uniques == alone
    assert f"{alone} unique" in repr(release)
    release.write(tmp_path / "out.parquet")
    assert release.headline["uniques"] == 400


def test_sums_hold_in_text_that_is_rounded_by_default(incomes, tmp_path):
    release = shoal.protect(incomes, 3, edits=[RULE, "tax >= 0"], seed=1)
    rows = written(release, tmp_path / "out.csv")
    assert all(adds_up(rows))
    assert max(decimals_of(cell) for row in rows for cell in row.values()) == 4
    assert shoal.edits.check(tmp_path / "out.csv", [RULE, "tax >= 0"]).holds


def test_columns_stay_as_they_are_where_rounding_would_break_a_rule(incomes, tmp_path):
    """No number of decimals holds a quotient; the column beside it is rounded all the same."""
    frame = incomes.assign(share=incomes.net / incomes.gross, other=incomes.tax * 2)
    rule = "share == net / gross"
    release = shoal.protect(frame, 3, edits=[rule], seed=1)
    rows = written(release, tmp_path / "out.csv")
    assert shoal.edits.check(tmp_path / "out.csv", [rule]).holds
    assert max(decimals_of(row["share"]) for row in rows) > 8
    assert max(decimals_of(row["other"]) for row in rows) == 4


def test_columns_with_decimals_of_their_own_are_left_to_these(incomes, tmp_path):
    rows = written(shoal.protect(incomes, 3, decimals={"net": 0}, seed=1), tmp_path / "out.csv")
    assert {name: max(decimals_of(row[name]) for row in rows) for name in incomes} == {"net": 0, "tax": 4, "gross": 4}


@pytest.mark.filterwarnings("ignore:The rows of:shoal.errors.DisclosureWarning")
@pytest.mark.parametrize("replace", ["ipso", "muralidhar-sarathy"])
def test_no_synthetic_record_is_written_as_it_was(replace, tmp_path):
    """A step of the last digit beside a spread of three: many values come near the original ones."""
    rng = np.random.default_rng(5)
    frame = pd.DataFrame({"age": rng.uniform(20, 60, 4000).round(2), "wage": rng.normal(30, 0.004, 4000).round(2)})
    frame["wage"] += rng.integers(0, 3, 4000) / 100
    frame["wage"] = frame["wage"].round(2)
    release = protect_part(frame, 5, columns=list(frame), replace=replace, confidential=["wage"], seed=1)
    release.write(tmp_path / "out.csv", keep_order=True)
    found = pd.read_csv(tmp_path / "out.csv", float_precision="round_trip")
    assert max(decimals_of(Decimal(repr(cell))) for cell in found["wage"]) == 4
    assert not (found["wage"] == frame["wage"]).any()


@pytest.mark.parametrize(
    ("numbers", "decimals"),
    [
        ([1, 2, 3], 0),
        ([1.5, 2.25, np.nan], 2),
        ([0.1 + 0.2, 59.97, 1e-3], 3),  # computed: a unit in the last place off
        ([1 / 3, 2.5], None),
        ([123456789012.34, 1.0], 2),
        ([1234567890123.45, 1.0], None),  # as many digits as floats tell apart
        ([1e-300], None),
    ],
)
def test_the_most_decimals_of_a_column(numbers, decimals):
    assert most_decimals(np.array(numbers, dtype=float)) == decimals


def test_numbers_of_single_precision_have_the_decimals_they_are_written_with():
    values = np.array([12.34, 0.1], dtype=np.float32).astype(np.float64)
    assert (most_decimals(values, single=True), most_decimals(values)) == (2, None)


def test_random_tables_and_rules(tmp_path):
    sys.path.insert(0, str(Path(__file__).parents[3] / "benchmarks"))
    try:
        from decimals import judged, made  # type: ignore[import-not-found]
    finally:
        sys.path.pop(0)
    total: Counter[str] = Counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for seed in range(24):
            case, k = made(seed)
            try:
                total.update(judged(case, k, seed, tmp_path))
            except ShoalError:
                continue  # not protected without decimals either
    assert total["before"] > 10
    assert {name: total[name] for name in ("after", "too fine", "below k", "refused")} == dict.fromkeys(
        ("after", "too fine", "below k", "refused"), 0
    )


@pytest.mark.parametrize("replace", ["mean", "median", "mode", "geometric-mean", "order-statistic:q=0.25"])
def test_every_replacement_is_rounded_and_keeps_k(replace, tmp_path):
    frame = pd.DataFrame(np.random.default_rng(0).lognormal(2, 1, (60, 3)), columns=list("abc"))
    rows = written(shoal.protect(frame, 4, replace=replace, decimals=1, seed=1), tmp_path / "out.csv")
    assert max(decimals_of(cell) for row in rows for cell in row.values()) == 1
    assert min(Counter(tuple(row.values()) for row in rows).values()) >= 4


@pytest.mark.filterwarnings("ignore:A medoid")
def test_a_medoid_is_rounded_so_that_rules_hold(incomes, tmp_path):
    incomes["tax"] += 0.0049
    incomes["gross"] += 0.0049
    release = shoal.protect(incomes, 3, edits=[RULE], replace="medoid", decimals=1, seed=1)
    rows = written(release, tmp_path / "out.csv")
    assert all(adds_up(rows))
    assert min(Counter(tuple(row.values()) for row in rows).values()) >= 3


def test_fuzzy_centres_are_rounded_and_keep_rules(incomes, tmp_path):
    release = shoal.protect(incomes, 3, method="fuzzy:n_clusters=4", edits=[RULE, "tax >= 0"], decimals=2, seed=1)
    rows = written(release, tmp_path / "out.csv")
    assert all(adds_up(rows))
    assert min(Counter(tuple(row.values()) for row in rows).values()) >= 3


@pytest.mark.parametrize("replace", ["ipso", "muralidhar-sarathy"])
def test_no_synthetic_record_rounds_to_what_it_was(replace):
    rng = np.random.default_rng(5)
    frame = pd.DataFrame({"age": rng.uniform(20, 60, 4000), "wage": rng.normal(30, 4, 4000).round(1)})
    frame["age"] += frame.wage / 10
    options = {"replace": replace, "confidential": ["wage"], "seed": 1}
    before = protect_part(frame, 3, **options).data
    after = protect_part(frame, 3, decimals=1, **options).data
    assert (before.wage.round(1) == frame.wage).any()  # rounding alone would release some as they are
    assert not (after.wage == frame.wage).any()
    assert all(decimals_of(Decimal(str(wage))) <= 1 for wage in after.wage)
    assert after.age.equals(frame.age)


def test_missing_values_strata_weights_and_blocks(tmp_path):
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.lognormal(2, 1, (80, 4)), columns=list("abcd"))
    frame = frame.mask(rng.random(frame.shape) < 0.1)
    frame["weight"] = rng.uniform(1, 5, 80)
    frame["region"] = np.repeat(["N", "S"], 40)
    options = {"strata": "region", "weights": "weight", "blocks": [["a", "b"], ["c", "d"]], "missing": "keep"}
    release = shoal.protect(frame, 4, edits=["a >= 0.04", "c >= 0"], decimals=1, seed=1, **options)
    assert release.data.isna().equals(frame.isna())
    for name in "abcd":
        counts = release.data.groupby("region")[name].value_counts()
        assert counts.min() >= 4
        assert all(decimals_of(Decimal(str(value))) <= 1 for value in release.data[name].dropna())
    assert release.data.a.min() >= 0.1
    assert release.data.weight.equals(frame.weight)


def test_whole_numbers_stay_whole():
    rng = np.random.default_rng(2)
    frame = pd.DataFrame(rng.integers(0, 19, (60, 2)), columns=["adults", "children"])
    frame["persons"] = frame.adults + frame.children
    frame["rent"] = rng.lognormal(6, 1, 60)
    rules = ["adults + children == persons", *(f"{name} is integer" for name in ("adults", "children", "persons"))]
    data = shoal.protect(frame, 3, edits=rules, decimals=2, seed=1).data
    assert (data[["adults", "children", "persons"]] % 1 == 0).all(axis=None)


def test_columns_of_integers_that_are_taken_stay_integers():
    frame = pd.DataFrame({"a": np.arange(30) ** 2, "b": np.arange(30) % 14})
    assert shoal.protect(frame, 3, replace="median", decimals=2, seed=1).data.dtypes.tolist() == [np.int64, np.int64]


def test_single_precision_holds_fewer_digits(tmp_path):
    rng = np.random.default_rng(0)
    frame = pl.DataFrame({"a": rng.uniform(1, 90, 40), "b": rng.uniform(1, 90, 40)}).cast(pl.Float32)
    frame = frame.with_columns(c=(pl.col("a") + pl.col("b")).cast(pl.Float64))
    rows = written(shoal.protect(frame, 3, decimals=2, seed=1), tmp_path / "out.csv")
    assert max(decimals_of(cell) for row in rows for cell in row.values()) == 2
    with pytest.raises(DataError, match='"a" has values so large'):
        shoal.protect(frame, 3, decimals=6, seed=1)


def test_a_number_that_floats_cannot_hold_is_refused():
    frame = pd.DataFrame({"a": np.random.default_rng(0).uniform(1e14, 2e14, 30)})
    with pytest.raises(DataError, match="Give it fewer decimals"):
        shoal.protect(frame, 3, decimals=2, seed=1)


@pytest.mark.parametrize(
    ("edits", "decimals"),
    [
        (["2 * net == 3 * tax"], 2),
        (["net * tax == gross"], 2),
        (["net / 3 == tax / 2"], {"net": 0, "tax": 0}),
        (["if tax > 1000 then net == 0.005"], 2),
    ],
)
def test_a_rule_that_decimals_cannot_hold_is_refused_by_name(edits, decimals):
    frame = pd.DataFrame({"tax": np.arange(2.0, 62, 2)})
    frame["net"] = 1.5 * frame.tax
    frame["gross"] = frame.net * frame.tax if "*" in edits[0] else frame.net + frame.tax
    with pytest.raises(RuleError, match="With these decimals") as error:
        shoal.protect(frame, 3, edits=edits, decimals=decimals, seed=1)
    assert error.value.rule == edits[0]


def test_a_rule_between_rounded_and_other_variables_is_refused(incomes):
    with pytest.raises(RuleError, match='ties "net", which is rounded, to "tax"'):
        shoal.protect(incomes, 3, edits=[RULE], decimals={"net": 2}, seed=1)


def test_a_defined_variable_without_decimals_is_computed_from_rounded_ones():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.lognormal(size=40), "b": rng.lognormal(size=40)})
    frame["share"] = frame.a / (frame.a + frame.b)
    rules = ["share == a / (a + b)", "share <= 1"]
    data = shoal.protect(frame, 3, edits=rules, decimals={"a": 2, "b": 2}, seed=1).data
    assert (data[["a", "b"]] == data[["a", "b"]].round(2)).all().all()
    assert (data.share == data.a / (data.a + data.b)).all()
    with pytest.raises(RuleError, match=r'With these decimals .* name all but "share" in decimals'):
        shoal.protect(frame, 3, edits=rules, decimals=2, seed=1)
    with pytest.raises(RuleError, match='ties "share", which is rounded, to "a"'):
        shoal.protect(frame, 3, edits=rules, decimals={"share": 2}, seed=1)


def test_a_defined_variable_has_as_many_decimals_as_it_needs():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.integers(1, 900, 40) / 10, "b": rng.integers(1, 900, 40) / 10})
    frame["d"] = (frame.a * frame.b + 0.25).round(2)
    data = shoal.protect(frame, 3, edits=["d == a * b + 0.25"], decimals={"a": 1, "b": 1, "d": 2}, seed=1).data
    exact = [Decimal(str(a)) * Decimal(str(b)) + Decimal("0.25") for a, b in zip(data.a, data.b, strict=True)]
    assert [Decimal(str(d)) for d in data.d] == exact


def test_a_rule_that_no_rounded_values_keep_releases_nothing():
    frame = pd.DataFrame({"a": np.random.default_rng(0).uniform(0.2, 0.4, 30)})
    with pytest.raises(RuleError, match=r'keep the rule "0\.1 < a" with these decimals'):
        shoal.protect(frame, 3, edits=["0.1 < a", "a < 0.9"], decimals=0, seed=1)


@pytest.mark.parametrize("decimals", [2.0, "2", True, 16, -13, {"net": None}, {"net": 2.5}])
def test_decimals_are_whole_numbers(incomes, decimals):
    with pytest.raises(ParameterError, match=r"decimals.*must be a whole number from -12 to 15"):
        shoal.protect(incomes, 3, decimals=decimals)


def test_decimals_name_columns_that_get_new_values(incomes):
    with pytest.raises(ColumnError, match=r'"nett".*"net"'):
        shoal.protect(incomes, 3, decimals={"nett": 2})
    with pytest.raises(ColumnError, match='"gross", which gets no new values'):
        shoal.protect(incomes, 3, columns=["net", "tax"], decimals={"gross": 2})
    with pytest.raises(ColumnError, match="ordinal"):
        shoal.protect(incomes, 3, kinds={"tax": "ordinal"}, decimals={"tax": 2})
    assert shoal.protect(incomes, 3, kinds={"tax": "ordinal"}, decimals=-2).plan.decimals == {"net": -2, "gross": -2}


def test_a_plan_repeats_the_same_bytes(incomes, tmp_path):
    incomes.to_csv(tmp_path / "in.csv", index=False)
    release = shoal.protect(tmp_path / "in.csv", 3, edits=[RULE], decimals=2)
    release.write(tmp_path / "one.csv", plan=tmp_path / "plan.toml")
    plan = shoal.Plan.from_toml(tmp_path / "plan.toml")
    assert plan.decimals == {"net": 2, "tax": 2, "gross": 2}
    plan.run().write(tmp_path / "two.csv")
    assert (tmp_path / "one.csv").read_bytes() == (tmp_path / "two.csv").read_bytes()
    text = (tmp_path / "plan.toml").read_text().replace("net = 2", "net = 99")
    (tmp_path / "plan.toml").write_text(text)
    with pytest.raises(PlanError, match="decimals"):
        shoal.Plan.from_toml(tmp_path / "plan.toml")


@pytest.mark.parametrize(
    "option",
    [
        ["--decimals", "2"],
        ["--decimals", "net=2,tax=2,gross=2"],
        [f"--decimals={name}=2" for name in ("net", "tax", "gross")],
    ],
)
def test_the_command_line_takes_decimals(incomes, tmp_path, option):
    incomes.to_csv(tmp_path / "in.csv", index=False)
    (tmp_path / "rules.txt").write_text(RULE)
    out = tmp_path / "out.csv"
    done = run_shoal(
        "protect", str(tmp_path / "in.csv"), "-k", "3", "--edits", str(tmp_path / "rules.txt"), "-o", str(out), *option
    )
    assert done.returncode == 0, done.stderr
    with out.open(newline="") as file:
        assert all(adds_up([{name: Decimal(cell) for name, cell in row.items()} for row in csv.DictReader(file)]))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("two", "--decimals: a number is needed, such as 3."),
        ("net=", '--decimals wants COLUMN=NUMBER; got "net=".'),
        ("net=2.5", 'decimals of "net" must be a whole number from -12 to 15; got 2.5.'),
        ("2,3", "--decimals: a number is needed, such as 3."),
    ],
)
def test_the_command_line_refuses_what_is_no_number(incomes, tmp_path, text, message):
    incomes.to_csv(tmp_path / "in.csv", index=False)
    done = run_shoal("protect", str(tmp_path / "in.csv"), "-k", "3", "--decimals", text)
    assert done.returncode == 2
    assert done.stderr == f"shoal: error: {message}\n"
