"""All measures at once: what is in the document, what it says of what is not, and what never changes it."""

from __future__ import annotations

import dataclasses
import json
import pickle

import jsonschema
import numpy as np
import pandas as pd
import pytest

import shoal
from shoal.errors import ColumnError, DataError, DisclosureWarning, ParameterError
from shoal.measure import MEASURES, MeasuredValue, evaluate, evaluation_schema, k_anonymity, score
from shoal.measure.measure import file_measure
from shoal.progress import listening


def numbers(n=60, p=4, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(np.exp(rng.normal(size=(n, p)) + rng.normal(size=(n, 1))))
    return frame.rename(columns=lambda place: f"x{place}")


@pytest.fixture(scope="module")
def census(reference_data):
    return shoal.read_table(reference_data("census.csv"))


def test_the_document_follows_its_schema():
    release = shoal.protect(numbers(), 3)
    for found in (release.evaluate(), release.evaluate(quick=True), release.evaluate(measures=["sse"])):
        document = json.loads(json.dumps(found.to_dict(), allow_nan=False))
        jsonschema.validate(document, evaluation_schema())
        assert set(document["measures"]) == set(found.measured)


def test_mixed_tables_follow_the_schema_too():
    survey = shoal.datasets.households(120, seed=3)
    release = shoal.protect(survey, 3, roles={"household_id": "identifier"}, weights="survey_weight")
    document = evaluate(survey, release.data).to_dict()
    jsonschema.validate(json.loads(json.dumps(document, allow_nan=False)), evaluation_schema())
    assert document["utility"]["frequency_difference"] > 0  # text columns were given the mode of their group
    assert not document["not_applicable"]


def test_every_measure_describes_itself():
    for name, measure in MEASURES.items():
        about = measure.about
        assert about.name == name == measure.__name__
        assert about.title and about.definition.endswith(".") and about.reference
        assert about.range[0] < about.range[1]
        assert about.better in ("lower", "higher")
        assert name in repr(measure)


def test_identical_files_score_50():
    """Issue: PIL 0, SSE 0, linkage 100, score 50 without duplicate records."""
    frame = numbers()
    found = evaluate(frame, frame)
    assert found.probabilistic_information_loss == 0
    assert found.sse == 0
    assert found.distance_linkage == 100
    assert found.score == 50
    assert found.unchanged == 100


def test_k_equal_to_n_leaves_chance(census):
    release = shoal.protect(census, len(census))
    assert release.evaluate(measures=["distance_linkage"]).distance_linkage == pytest.approx(100 / len(census))


@pytest.mark.parametrize(("k", "expected"), [(3, 37.32), (10, 36.41)])
def test_score_of_census(census, k, expected):
    """METHODS 6: with original-to-masked linkage."""
    release = shoal.protect(census, k)
    assert release.evaluate().score == pytest.approx(expected, abs=0.005)
    assert score(census, release.data) == release.evaluate().score


@pytest.mark.parametrize(("k", "linkage", "pil", "expected"), [(3, 31.57, 40.78, 38.05), (10, 8.70, 56.51, 36.95)])
def test_score_of_census_with_linkage_the_other_way(census, k, linkage, pil, expected):
    """METHODS 6: the same with masked-to-original linkage, put together by hand."""
    masked = shoal.protect(census, k).data
    found = evaluate(census, masked, measures=["probabilistic_information_loss", "interval_disclosure"])
    other = shoal.measure.distance_linkage(census, masked, direction="masked-to-original")
    assert (other, found.probabilistic_information_loss) == pytest.approx((linkage, pil), abs=0.005)
    total = (found.probabilistic_information_loss + (other + found.interval_disclosure) / 2) / 2
    assert total == pytest.approx(expected, abs=0.005)


# The order of the columns in another public copy of the file.
ORDER_B = ["AFNLWGT", "AGI", "EMCONTRB", "FEDTAX", "PTOTVAL", "STATETAX", "TAXINC", "POTHVAL", "INTVAL", "PEARNVAL"]
ORDER_B += ["FICA", "WSALVAL", "ERNVAL"]


@pytest.mark.parametrize(
    ("k", "linkage", "expected"), [(3, None, 50.5), (5, 98.2, 51.9), (6, None, None), (10, None, 55.0)]
)
def test_census_in_blocks_of_three(census, k, linkage, expected):
    """METHODS 6, linkage on all 13 variables: these come out in the other order, from masked to original."""
    frame = census[ORDER_B]
    masked = shoal.protect(frame, k, blocks=3).data
    found = evaluate(frame, masked, measures=["probabilistic_information_loss", "interval_disclosure"])
    linked = shoal.measure.distance_linkage(frame, masked, direction="masked-to-original")
    risk = (linked + found.interval_disclosure) / 2
    if linkage:
        assert linked == pytest.approx(linkage, abs=0.05)
    if expected:
        assert (found.probabilistic_information_loss + risk) / 2 == pytest.approx(expected, abs=0.05)
    if k == 6:
        subsets = shoal.measure.linkage_over_subsets(frame, masked, direction="masked-to-original")
        loss, interval = found.probabilistic_information_loss, found.interval_disclosure
        assert (subsets, interval, loss) == pytest.approx((32.5, 63.0, 25.6), abs=0.05)
        assert (loss + (subsets + interval) / 2) / 2 == pytest.approx(36.7, abs=0.05)


def test_the_weights_of_2001():
    frame = numbers()
    masked = shoal.protect(frame, 3).data
    found = score(frame, masked, weights="2001")
    parts = evaluate(frame, masked)
    assert found == pytest.approx(
        parts.mean_variation / 2
        + (parts.distance_linkage + parts.probabilistic_linkage) / 8
        + parts.interval_disclosure / 4
    )
    with pytest.raises(ParameterError, match="weights must be one of"):
        score(frame, masked, weights="2002")


def test_quick_names_what_it_left_out():
    frame = numbers()
    found = evaluate(frame, frame, quick=True, method="mdav", k=3)
    assert set(found.left_out) == {
        "subdomain_difference",
        "propensity",
        "analytical_loss",
        "attribute_attack",
        "clustering_similarity",
        "linkage_over_subsets",
        "probabilistic_linkage",
        "transparency_attack",
    }
    assert all("quick" in why for why in found.left_out.values())
    assert found.propensity is None
    assert "propensity" not in found.to_dict()["utility"]


def test_the_attack_is_tried_where_the_method_is_known():
    frame = numbers()
    release = shoal.protect(frame, 3, blocks=2)
    assert release.evaluate().transparency_attack > 0
    unknown = evaluate(frame, release.data)
    assert unknown.transparency_attack is None
    assert "the plan of the release" in unknown.left_out["transparency_attack"]


def test_k_is_that_of_whole_records_with_that_of_each_block_beside_it():
    frame = numbers()
    release = shoal.protect(frame, 3, blocks=2)
    found = release.evaluate(measures=["k_anonymity"])
    assert found.k_anonymity == evaluate(frame, release.data, measures=["k_anonymity"]).k_anonymity < 3
    assert found.k_anonymity.by_block == [3, 3]
    assert found.k_anonymity.records_short == len(k_anonymity(frame, release.data, k=3).short)


def test_which_records_fall_short():
    table = pd.DataFrame({"x": [1, 1, 1, 2, 2, 3]})
    assert k_anonymity(table, table).short == [5]
    assert k_anonymity(table, table, k=3).short == [3, 4, 5]


def test_a_measure_that_is_not_there_gets_a_hint():
    with pytest.raises(ParameterError, match=r'no measure .inforation_loss.\. Did you mean "information_loss"\?'):
        evaluate(numbers(), numbers(), measures=["inforation_loss"])
    with pytest.raises(AttributeError, match="no measure"):
        _ = evaluate(numbers(), numbers(), measures=["sse"]).no_such_thing


def test_options_of_a_measure_are_checked():
    with pytest.raises(ParameterError, match=r'has no option "direktion"\. Did you mean "direction"'):
        shoal.measure.distance_linkage(numbers(), numbers(), direktion="x")


@pytest.mark.parametrize("seed", range(3))
def test_order_of_rows_and_units_do_not_matter(seed):
    """Issue: measures that draw no sample do not change, to 1e-9."""
    frame = numbers(90, 3, seed).round(2)  # ties and duplicates
    masked = shoal.protect(frame, 4).data
    found = evaluate(frame, masked, method="mdav", k=4)
    order = np.random.default_rng(seed).permutation(len(frame))
    factors = np.array([1e-5, 3.7, 1e7])
    for again in (
        evaluate(frame.iloc[order], masked.iloc[order], method="mdav", k=4),
        evaluate(frame * factors, masked * factors, method="mdav", k=4),
    ):
        for name, value in found.measured.items():
            assert again.measured[name] == pytest.approx(value, rel=1e-9, abs=1e-9), name


def test_missing_values_follow_the_stated_rule():
    """A mean is that of a file's own values; cells are compared where both have one; records where none is gone."""
    frame = numbers()
    masked = frame + 1
    frame.loc[0, "x0"] = np.nan
    masked.loc[1, "x1"] = np.nan
    found = evaluate(frame, masked)
    assert found.complete_records == len(frame) - 2
    assert found.distance_linkage.records == len(frame)  # a missing value is a category
    assert found.mean_difference.by_column["x0"] == pytest.approx(
        abs(masked["x0"].mean() - frame["x0"].mean()) / frame["x0"].std()
    )
    suppressed = (frame["x1"][1] - frame["x1"].mean()) ** 2  # as if the mean had been released
    assert found.sse.by_column["x1"] == pytest.approx((len(frame) - 1 + suppressed) / frame["x1"].var())


def test_nothing_observed_in_a_column_is_an_answer():
    frame = numbers().assign(empty=np.nan)
    found = evaluate(frame, frame)
    assert "distance_linkage" in found.not_applicable or found.distance_linkage is not None
    json.dumps(found.to_dict(), allow_nan=False)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "make",
    [
        lambda: numbers(1),
        lambda: numbers(2),
        lambda: numbers(60, 1),
        lambda: numbers().assign(c=1.0),
        lambda: numbers()[["x0"]] * 0,
        lambda: pd.DataFrame({"t": list("abab")}),
        lambda: pd.DataFrame({"t": list("aaaa"), "x": [1.0, 1, 1, 1]}),
        lambda: pd.DataFrame({"x": [None, None, None]}, dtype=float),
        lambda: numbers() * 1e300,
        lambda: numbers() * 1e-300,
    ],
    ids=[
        "one-record",
        "two",
        "one-column",
        "constant",
        "all-constant",
        "text",
        "nothing-varies",
        "empty",
        "huge",
        "tiny",
    ],
)
def test_odd_files_get_an_answer(make):
    frame = make()
    for masked in (frame, frame.iloc[::-1].reset_index(drop=True)):
        document = evaluate(frame, masked, method="mdav", k=2, aligned=True).to_dict()
        jsonschema.validate(json.loads(json.dumps(document, allow_nan=False)), evaluation_schema())


def test_files_that_cannot_be_compared():
    frame = numbers()
    with pytest.raises(DataError, match="the original has 60 and the masked file 59"):
        evaluate(frame, frame.iloc[1:])
    with pytest.raises(ColumnError, match="no column in common"):
        evaluate(frame, frame.rename(columns=str.upper))
    with pytest.raises(ColumnError, match='The masked file has no column "x0"'):
        evaluate(frame, frame.drop(columns="x0"), columns=["x0"])
    with pytest.raises(DataError, match='Column "x0" of the masked file has infinite values'):
        evaluate(frame, frame.assign(x0=np.inf))
    with pytest.raises(ColumnError, match='"x0" holds numbers in the original file and something else'):
        evaluate(frame, frame.assign(x0="a"))


def test_codes_can_be_said_to_be_categories():
    frame = pd.DataFrame({"x": [1, 1, 2, 2, 3, 3]})
    found = evaluate(frame, frame.iloc[::-1].reset_index(drop=True), kinds={"x": "nominal"})
    assert "sse" in found.not_applicable
    assert found.frequency_difference == 0
    assert found.categories_changed == pytest.approx(100 * 4 / 6)
    with pytest.raises(ParameterError, match="kinds"):
        evaluate(frame, frame, kinds={"x": "nonsense"})
    with pytest.raises(ColumnError, match='no column "y"'):
        evaluate(frame, frame, kinds={"y": "nominal"})


def test_progress_sums_up_to_one():
    parts = []
    with listening(parts.append):
        evaluate(numbers(), numbers(), method="mdav", k=3)
    assert sum(parts) == pytest.approx(1)


def test_a_measured_value_is_a_number_with_parts():
    loss = MeasuredValue(2.5, mean=1.0)
    assert loss + 1 == 3.5
    assert loss.value == 2.5
    assert loss.mean == 1.0
    assert json.dumps(loss) == "2.5"
    assert pickle.loads(pickle.dumps(loss)).mean == 1.0
    with pytest.raises(AttributeError, match="no part 'variance'"):
        _ = loss.variance


def test_the_seed_reaches_every_sample():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(21_000, 3))
    masked = X + 0.3 * rng.normal(size=X.shape)
    names = ["linkage_over_subsets", "probabilistic_linkage"]
    one, other = (evaluate(X, masked, measures=names, seed=seed) for seed in (0, 1))
    for name in names:
        assert one.measured[name].sampled == 2_000
        assert one.measured[name] != other.measured[name]


def test_suppressed_cells_do_not_make_the_loss_smaller():
    frame = numbers(200)
    masked = shoal.protect(frame, 5).data
    holes = np.random.default_rng(0).random(frame.shape) < 0.9
    loss, with_missing = (evaluate(frame, file, measures=["information_loss"]) for file in (masked, masked.mask(holes)))
    assert with_missing.information_loss > loss.information_loss / 3


def test_a_column_that_was_suppressed_whole_can_be_compared(tmp_path):
    frame = numbers()
    frame.to_csv(tmp_path / "x.csv", index=False)
    frame.assign(x1="").to_csv(tmp_path / "y.csv", index=False)
    found = evaluate(tmp_path / "x.csv", tmp_path / "y.csv", measures=["unchanged", "sse", "information_loss"])
    assert found.sse.by_column == {"x0": 0, "x1": pytest.approx(len(frame) - 1), "x2": 0, "x3": 0}
    assert found.information_loss == pytest.approx(25) and found.information_loss.suppressed == len(frame)


def test_masked_values_beyond_all_bounds_are_still_numbers():
    frame = numbers()
    document = evaluate(frame, frame * 1e160).to_dict()
    jsonschema.validate(json.loads(json.dumps(document, allow_nan=False)), evaluation_schema())


@pytest.mark.parametrize(
    "options",
    [
        {"columns": "COLUMN"},
        {"measures": "COLUMN"},
        {"kinds": "COLUMN"},
        {"method": "mdav", "k": 3, "blocks": ["COLUMN"]},
        {"method": "mdav", "k": 3, "blocks": "COLUMN"},
        {"method": "mdav", "k": "COLUMN"},
        {"method": "mdav", "k": 3, "strata": "COLUMN"},
        {"seed": "COLUMN"},
        {"columns": 5},
        {"measures": 5},
        {"measures": [["sse"]]},
        {"kinds": "nominal"},
        {"method": "mdav", "k": 3, "blocks": []},
        {"method": "mdav", "k": 3, "blocks": [1, 2]},
        {"method": "mdva"},
    ],
)
def test_a_column_in_place_of_a_name_is_refused_without_its_values(options):
    frame = numbers()
    secret = pd.Series([865_560.25] * 60, name="x0")
    filled = {
        key: secret if value == "COLUMN" else [secret] if value == ["COLUMN"] else value
        for key, value in options.items()
    }
    with pytest.raises((ParameterError, ColumnError)) as caught:
        evaluate(frame, frame, **filled)
    assert "865" not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_columns_that_were_released_and_not_compared_are_named():
    survey = shoal.datasets.households(100, seed=2)
    with pytest.warns(DisclosureWarning, match="NOT PROTECTED .14.: region, area, "):
        release = shoal.protect(survey, 4, columns=["age", "tax"], roles={"household_id": "identifier"})
    found = release.evaluate(measures=["sse"])
    assert "region" in found.not_compared and "household_id" not in found.not_compared
    assert found.to_dict()["not_compared"] == list(found.not_compared)
    assert not evaluate(survey, release.data, measures=["sse"]).not_compared


def test_the_columns_of_a_frame_can_be_named_as_they_are():
    frame = numbers()
    assert evaluate(frame, frame, columns=frame.columns, measures=["sse"]).columns == tuple(frame.columns)


def test_the_same_measures_without_some_columns():
    frame = numbers()
    masked = shoal.protect(frame, 3).data
    found = evaluate(frame, masked)
    again = found.without(["x0", "x2"], ["sse", "distance_linkage"])
    rest = evaluate(frame[["x1", "x3"]], masked[["x1", "x3"]], measures=["sse", "distance_linkage"])
    assert dict(again) == dict(rest.measured) and set(again) == {"sse", "distance_linkage"}
    assert found.without(found.columns, ["sse"]) == {}
    assert set(found.without(["x0", "x1", "x2"], ["sse", "covariance_difference"])) == {"sse"}  # one has no pairs


def test_an_evaluation_is_one_line_that_measures_nothing():
    release = shoal.protect(numbers(), 3)
    found = release.evaluate(measures=["information_loss", "distance_linkage", "score"])
    loss, linkage, score = found.information_loss, found.distance_linkage, found.score
    said = f"loss {loss:.2f} %, linkage {linkage:.2f} %, score {score:.2f}"
    assert repr(found) == f"Evaluation(60 records, 4 columns, 3 measures, {said})"
    other = {"distance_linkage": {"direction": "masked-to-original"}}
    assert "linkage" not in repr(release.evaluate(measures=["distance_linkage"], options=other))
    nothing = release.evaluate(measures=[])
    assert repr(nothing) == "Evaluation(60 records, 4 columns, 0 measures)"
    assert "headline" not in vars(nothing)
    assert repr(pickle.loads(pickle.dumps(found))) == repr(found)


def test_an_evaluation_does_not_show_or_store_the_files():
    frame = numbers()
    found = evaluate(frame, frame, measures=["sse"])
    assert found == evaluate(frame * 1, frame * 1, measures=["sse"])
    assert "_files" not in repr(found)
    stored = pickle.loads(pickle.dumps(found))
    assert stored == found and stored.sse.by_column == found.sse.by_column
    assert str(frame.loc[0, "x0"]) not in repr(found) and len(pickle.dumps(found)) < 4_000
    with pytest.raises(ParameterError, match="no longer has the files"):
        stored.without(["x0"], ["sse"])


def test_an_evaluation_passes_on_only_what_a_measure_takes(monkeypatch):
    """An option that happens to have the name of something in the evaluation is not one that the measure takes."""
    about = dataclasses.replace(MEASURES["sse"].about, name="by_method")

    @file_measure(about, takes=("seed",))
    def by_method(files, *, method: str = "its own", seed: int = 7) -> MeasuredValue:
        return MeasuredValue(seed, method=method)

    monkeypatch.setitem(MEASURES, "by_method", by_method)
    found = evaluate(numbers(), numbers(), measures=["by_method"], method="mdav", k=3, seed=5)
    assert found.by_method == 5 and found.by_method.method == "its own"


def test_a_measure_without_what_it_needs_is_left_out():
    frame = numbers()
    found = evaluate(frame, frame, measures=["transparency_attack"], k=3)
    assert found.left_out["transparency_attack"].startswith("needs method:")
    rewritten = evaluate(frame, frame, measures=["transparency_attack"], replace="ipso")
    assert "synthetic" in rewritten.left_out["transparency_attack"]
