"""Values that are changed record by record, through the whole flow: no k, and it is said; the rest is as ever."""

import warnings
from collections import Counter

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import shoal
from shoal.errors import ColumnError, DataError, DisclosureWarning, MethodError, ParameterError, RuleError, ShoalError
from shoal.replace import PRAM, Noise, RankSwap

NUMBERS = ["rank-swap", "noise", "noise:correlated=false,keep_variance=true", "shuffle"]
MIXED = [*NUMBERS, "pram", "record-swap"]


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(5)
    net = np.exp(rng.standard_normal(300) + 8).round()
    tax = (net * rng.uniform(0.1, 0.4, 300)).round()
    return pd.DataFrame(
        {
            "net": net,
            "tax": tax,
            "gross": net + tax,
            "age": rng.integers(18, 90, 300),
            "region": rng.choice(["N", "S", "W"], 300),
            "size": pd.Categorical(rng.choice(["low", "mid", "high"], 300), ["low", "mid", "high"], ordered=True),
        }
    )


def changed(frame, replace, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DisclosureWarning)
        return shoal.protect(frame, 5, replace=replace, **{"seed": 1, **options})


@pytest.mark.parametrize("replace", MIXED)
def test_that_no_k_is_promised_is_said_first(frame, replace):
    with pytest.warns(DisclosureWarning) as warned:
        release = shoal.protect(frame, 5, replace=replace, seed=1)
    assert str(warned[0].message).startswith(
        f"No k is promised: {release.plan.family.no_k}. Over all released columns "
    )
    assert "exchanged or perturbed record by record" in release.plan.family.no_k
    assert "records come out as they were" in release.plan.outcome.notes[0]
    assert release.plan.outcome.k == release.headline["k"]
    assert release.plan.method == {"name": "one-group"}
    assert release.plan.shown_as == "perturbation"


@pytest.mark.parametrize("replace", MIXED)
@pytest.mark.parametrize("as_table", [pd.DataFrame, pl.from_pandas, pa.Table.from_pandas])
def test_the_same_plan_gives_the_same_release_in_every_library(frame, replace, as_table, tmp_path):
    frame = frame.drop(columns="size")  # not every library has an order of its own for it
    native = as_table(frame)
    release = changed(native, replace)
    assert type(release.data) is type(native)
    release.plan.to_toml(tmp_path / "plan.toml")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DisclosureWarning)
        again = shoal.Plan.from_toml(tmp_path / "plan.toml").run(native)
    for one, other in ((release.data, again.data), (release.data, changed(native, replace).data)):
        assert one.equals(other)
    assert not release.data.equals(changed(native, replace, seed=2).data)
    plain, released = (shoal.read.as_table(one) for one in (changed(frame, replace).data, release.data))
    for name in frame:
        assert plain.cells(name).tolist() == released.cells(name).tolist()


def test_an_array_is_changed_too():
    array = np.random.default_rng(0).standard_normal((100, 3))
    released = changed(array, "rank-swap").data
    assert (np.sort(released, axis=0) == np.sort(array, axis=0)).all()
    assert (released != array).all()


def test_kinds_that_are_not_served_get_what_serves_them(frame):
    expected = {
        "noise": ["noise", "noise", "noise", "noise", "pram", "pram"],
        "pram": ["rank-swap", "rank-swap", "rank-swap", "rank-swap", "pram", "pram"],
        "rank-swap": ["rank-swap", "rank-swap", "rank-swap", "rank-swap", "pram", "rank-swap"],
    }
    for replace, names in expected.items():
        assert [written["name"] for written in changed(frame, replace).plan.replace.values()] == names
    written = changed(frame, {"net": Noise(alpha=0.5)}).plan.replace
    assert [written[name]["name"] for name in ("net", "tax", "region")] == ["noise", "rank-swap", "pram"]


def test_types_stay_where_values_are_exchanged(frame):
    release = changed(frame, "rank-swap")
    assert (release.data.dtypes == frame.dtypes).all()
    assert changed(frame, "noise").plan.outcome.became_float == ["age"]
    rounded = changed(frame, "noise", decimals=0).data
    assert (rounded[["net", "tax", "age"]] == rounded[["net", "tax", "age"]].round()).all().all()


def test_values_are_changed_within_strata(frame):
    released = changed(frame, "rank-swap", strata="region").data
    for region in "NSW":
        before, after = (one[one["region"] == region] for one in (frame, released))
        assert Counter(before["net"]) == Counter(after["net"])
    with pytest.raises(DataError, match="In a stratum of region: p=1 "):
        changed(frame, "rank-swap:p=1", strata="region")


def test_missing_values_stay_or_are_refused(frame):
    frame = frame.assign(net=frame["net"].where(frame.index % 7 > 0), region=frame["region"].where(frame.index % 5 > 0))
    with pytest.raises(ShoalError, match='missing="keep"'):
        changed(frame, "rank-swap")
    for replace in MIXED:
        released = changed(frame, replace, missing="keep").data
        if replace != "record-swap":  # which exchanges whole places
            assert (released.isna() == frame.isna()).all().all()
    with pytest.raises(MethodError, match="groups"):
        changed(frame, "rank-swap", missing="fill")


def test_columns_of_a_step_are_all_grouped_or_all_changed_record_by_record(frame):
    with pytest.raises(ParameterError, match=r'"noise" changes.*"mean" is for groups.*release\.then'):
        changed(frame, {"net": "noise", "tax": "mean"})
    with pytest.raises(MethodError, match='"rank-swap" changes records one by one, and needs no groups of "mdav"'):
        changed(frame, "rank-swap", method="mdav")
    assert changed(frame, "rank-swap", method="one-group").data.equals(changed(frame, RankSwap()).data)


@pytest.mark.parametrize("option", [{"diversity": 2}, {"dominance": 80}, {"bounds": True}])
def test_what_needs_groups_is_refused(frame, option):
    with pytest.raises(ShoalError, match=r"groups|synthetic"):
        changed(frame, "rank-swap", roles={"tax": "confidential"}, **option)


def test_rules_are_checked_and_what_breaks_them_is_refused(frame):
    with pytest.raises(RuleError, match=r'of 300 records would break the rule "net \+ tax == gross" after replace'):
        changed(frame, "rank-swap", edits=["net + tax == gross"])
    release = changed(frame, "noise", edits=["net + tax == gross"], columns=["net", "tax", "gross"])
    assert "The rule holds in the release." in release.plan.outcome.notes
    rounded = changed(frame, "noise", edits=["net + tax == gross"], columns=["net", "tax", "gross"], decimals=0)
    assert (rounded.data["net"] + rounded.data["tax"] == rounded.data["gross"]).all()
    assert changed(frame, "rank-swap", edits=["age >= 18"])
    broken = frame.assign(gross=frame["gross"] + 1)
    with pytest.raises(DataError, match="leave the rule out"):
        changed(broken, "noise", edits=["net + tax == gross"])


def test_units_stay_together_where_that_can_be_seen(frame):
    frame = frame.assign(household=np.arange(300) // 3, rent=np.repeat(np.arange(100.0), 3))
    with pytest.raises(MethodError, match=r'"rent" has one value within every unit.*record-swap'):
        changed(frame, "rank-swap", unit="household")
    release = changed(frame, "rank-swap", unit="household", columns=["net", "tax"])
    assert release.headline["units"] == 100
    swapped = changed(frame, "record-swap", unit="household", columns=["rent"]).data
    assert (swapped.groupby("household")["rent"].nunique() == 1).all()


def test_shuffled_columns_can_be_named_and_the_others_stay(frame):
    by_argument = changed(frame, "shuffle", confidential=["tax"])
    by_role = changed(frame, "shuffle", roles={"tax": "confidential"})
    by_name = changed(frame, "shuffle:confidential=[tax]")
    assert by_argument.plan.rewritten == ["tax"]
    assert by_argument.data.equals(by_role.data) and by_argument.data.equals(by_name.data)
    stays = [name for name in frame if name != "tax"]
    assert by_argument.data[stays].equals(frame[stays])
    assert by_argument.plan.outcome.unchanged == stays
    with pytest.raises(ParameterError, match="confidential"):
        changed(frame, "rank-swap", confidential=["tax"])


def test_most_records_unchanged_is_warned_of(frame):
    with pytest.warns(DisclosureWarning) as warned:
        shoal.protect(frame[["region"]], 5, replace="record-swap:rate=0.05", seed=1)
    assert "most of the file is released as it is" in str(warned[1].message)


def test_measures_run_and_the_attack_on_groups_does_not(frame):
    evaluation = changed(frame, "noise", columns=["net", "tax", "age"]).evaluate(
        measures=["score", "transparency_attack"]
    )
    assert evaluation.score is not None
    assert evaluation.transparency_attack is None
    assert "perturbed values do not show" in evaluation.left_out["transparency_attack"]


def test_a_search_compares_them_with_groups(frame):
    comparison = shoal.compare(frame, 5, ["rank-swap", "noise:alpha=0.2", "mdav"], columns=["net", "tax", "age"])
    assert {row.method: row.family for row in comparison.rows} == {
        "one-group+rank-swap": "perturbation",
        "one-group+noise:alpha=0.2": "perturbation",
        "mdav": "microaggregation",
    }
    tuning = shoal.tune(frame[["net", "tax", "age"]], methods=["rank-swap", "noise"], k=[5], trials=9, other_seeds=0)
    assert {trial.settings["p"] for trial in tuning.trials if "p" in trial.settings} >= {1.0, 15.0, 30.0}
    assert set(tuning.best_of_family) == {"perturbation"}


def test_reports_say_first_that_there_is_no_k(frame, tmp_path):
    release = changed(frame, "rank-swap")
    for audience in ("internal", "public"):
        release.report(tmp_path / f"{audience}.html", audience=audience)
        page = (tmp_path / f"{audience}.html").read_text(encoding="utf-8")
        assert "No k is promised, as values are exchanged or perturbed record by record" in page
        assert "share their released values" not in page


@pytest.mark.parametrize("replace", ["pram", "record-swap"])
def test_strata_that_divide_units_are_refused_where_units_change_whole(replace):
    rng = np.random.default_rng(3)
    unit = np.repeat(np.arange(60), 3)
    frame = pd.DataFrame(
        {"unit": unit, "place": rng.choice(["N", "S", "W"], 60)[unit], "sex": rng.choice(["f", "m"], 180)}
    )
    frame["side"] = np.where(unit < 30, "left", "right")
    release = changed(frame, replace, columns=["place"], unit="unit", strata="side")
    assert (release.data.groupby("unit")["place"].nunique() == 1).all()
    assert (release.data["place"] != frame["place"]).any()
    with pytest.raises(ColumnError, match=r'Strata of sex divide \d+ of 60 units, whose values of "place"'):
        changed(frame, replace, columns=["place"], unit="unit", strata="sex")


def test_categories_of_a_matrix_are_those_of_the_column():
    """All of "b" become "a", whatever the order of the rows, and "c" stays."""
    frame = pd.DataFrame({"grade": ["c", "b", "a", "b"] * 20})
    own = PRAM(matrix=[[0, 1, 0], [0, 1, 0], [0, 0, 1]], categories=["b", "a", "c"], invariant=False)
    assert changed(frame, own).data["grade"].tolist() == ["c", "a", "a", "a"] * 20


@pytest.mark.parametrize("asked", [{"closeness": 0.2}, {"categories": "suppress"}, {"categories": {"town": "within"}}])
def test_what_is_about_groups_is_refused(asked):
    data = pd.DataFrame({"pay": np.arange(20.0), "town": ["a", "b"] * 10})
    with pytest.raises(MethodError, match="methods that put records into groups"):
        shoal.protect(data, 3, replace="noise", roles={"pay": "confidential"}, **asked)
