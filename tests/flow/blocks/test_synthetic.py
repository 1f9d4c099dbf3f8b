"""Synthetic and hybrid data through `protect`: what they keep exactly, what they refuse, and plans."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

import shoal
from command_line import run_shoal
from shoal.errors import (
    ColumnError,
    DataError,
    DisclosureWarning,
    MethodError,
    MissingValuesError,
    ParameterError,
    PlanError,
    TooFewRecordsError,
)
from shoal.replace import IPSO, FuzzyRegression, MicroHybrid, MuralidharSarathy
from shoal.replace.synthetic.hybrid import GroupsTooSmallError
from unchanged_columns import protect_part, run_part

CONFIDENTIAL = ["FEDTAX", "TAXINC", "WSALVAL", "ERNVAL"]  # orig4


@pytest.fixture(scope="module")
def census(reference_data):
    return shoal.read_table(reference_data("census.csv"))


def apart(original, masked):
    """Return how far means and covariances are from the original's, in standard deviations."""
    unit = original.std()
    covariances = (masked.cov() - original.cov()).abs() / np.outer(unit, unit)
    return max(((masked.mean() - original.mean()).abs() / unit).max(), covariances.to_numpy().max())


@pytest.mark.parametrize(
    ("replace", "method"),
    [("hybrid:small_groups=merge", "mdav"), ("ipso", "one-group"), ("muralidhar-sarathy", "one-group")],
)
@pytest.mark.parametrize("confidential", [CONFIDENTIAL, ["PTOTVAL", "POTHVAL", "PEARNVAL", "AGI"]])
def test_means_covariances_and_identities_are_kept(census, replace, method, confidential):
    release = protect_part(census, 20, replace=replace, confidential=confidential, seed=1)
    assert release.plan.method["name"] == method
    assert apart(census, release.data) < 1e-8
    total = (release.data["POTHVAL"] + release.data["PEARNVAL"]).to_numpy()
    assert total == pytest.approx(release.data["PTOTVAL"].to_numpy(), rel=1e-6)
    others = [name for name in census if name not in confidential]
    pd.testing.assert_frame_equal(release.data[others], census[others])
    assert release.evaluate(measures=["unchanged"]).unchanged.records == 0


def test_tarragona_keeps_them_too(reference_data):
    frame = shoal.read_table(reference_data("tarragona.csv"))
    confidential = list(frame.columns[:4])
    assert apart(frame, protect_part(frame, 25, replace="hybrid", confidential=confidential, seed=1).data) < 1e-8


def test_one_group_of_all_is_ipso(census):
    hybrid = protect_part(census, len(census), replace="hybrid", confidential=CONFIDENTIAL, seed=4)
    ipso = protect_part(census, 20, replace="ipso", confidential=CONFIDENTIAL, seed=4)
    pd.testing.assert_frame_equal(hybrid.data, ipso.data, check_exact=True)


def test_a_method_that_is_named_is_used(census):
    release = protect_part(census, 25, method="mdav", replace="ipso", confidential=CONFIDENTIAL, seed=1)
    assert release.plan.method["name"] == "mdav"
    assert len(release.partitions[0].sizes) > 1


def test_strata_are_rewritten_each_for_itself(census):
    frame = census.assign(part=np.where(census["AGI"] > census["AGI"].median(), "high", "low"))
    masked = protect_part(frame, 20, replace="ipso", confidential=CONFIDENTIAL, strata="part", seed=1).data
    for part in ("high", "low"):
        rows = frame["part"] == part
        assert apart(frame.loc[rows, CONFIDENTIAL], masked.loc[rows, CONFIDENTIAL]) < 1e-8


@pytest.mark.parametrize(
    "replace",
    [
        "hybrid",
        "ipso:variant=A",
        "ipso:variant=B",
        "muralidhar-sarathy:alpha=0.3",
        "fuzzy-regression:n_clusters=4",
        MicroHybrid(confidential=CONFIDENTIAL, small_groups="merge"),
        IPSO(confidential=CONFIDENTIAL, orthogonal=True),
        MuralidharSarathy(confidential=CONFIDENTIAL),
        FuzzyRegression(3, m=1.5, confidential=CONFIDENTIAL),
    ],
    ids=lambda replace: replace if isinstance(replace, str) else type(replace).__name__,
)
def test_a_plan_repeats_the_release(census, tmp_path, replace):
    confidential = CONFIDENTIAL if isinstance(replace, str) else None
    release = protect_part(census, 25, replace=replace, confidential=confidential, seed=2)
    assert release.plan.confidential == CONFIDENTIAL
    release.plan.to_toml(tmp_path / "plan.toml")
    again = run_part(shoal.Plan.from_toml(tmp_path / "plan.toml"), census)
    pd.testing.assert_frame_equal(again.data, release.data, check_exact=True)


def test_hybrid_wins_utility_and_loses_risk(census):
    """METHODS 3, Census at k = 20: PIL 6 against 69, linkage 23 against 1; the plan says so."""
    hybrid = protect_part(census, 20, replace="hybrid", confidential=CONFIDENTIAL, seed=1)
    plain = shoal.protect(census, 20)
    names = ["probabilistic_information_loss", "distance_linkage"]
    one, other = (  # of these columns alone: hybrid data keep the others, by which every record is linked
        shoal.evaluate(census[CONFIDENTIAL], release.data[CONFIDENTIAL], measures=names) for release in (hybrid, plain)
    )
    assert one.probabilistic_information_loss < 10 < 60 < other.probabilistic_information_loss
    assert one.distance_linkage > 15 > 3 > other.distance_linkage
    assert any("easier to link" in note for note in hybrid.plan.outcome.notes)


def test_a_k_that_is_too_small_names_the_one_needed_and_the_ways_out(census):
    with pytest.raises(TooFewRecordsError, match=r"needs at least k=13 .* Merge such groups .*drop-others"):
        protect_part(census, 5, replace="hybrid", confidential=CONFIDENTIAL)
    for way in ("merge", "drop-others"):
        release = protect_part(census, 5, replace=f"hybrid:small_groups={way}", confidential=CONFIDENTIAL, seed=1)
        assert release.plan.outcome.notes


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"replace": "hybrid"}, ParameterError, "name them in confidential"),
        ({"replace": "hybrid", "confidential": ["FEDTAXX"]}, ColumnError, 'Did you mean "FEDTAX"'),
        ({"replace": "mean", "confidential": ["FEDTAX"]}, ParameterError, "confidential is for replace"),
        ({"replace": {"AGI": "hybrid"}, "confidential": ["AGI"]}, ParameterError, "for all columns together"),
        ({"replace": "hybrid", "confidential": ["FEDTAX"], "method": "fuzzy"}, MethodError, "needs groups"),
        ({"replace": "hybrid", "confidential": ["FEDTAX"], "weights": "AFNLWGT"}, MethodError, "sampling weights"),
        (
            {"replace": "fuzzy-regression", "confidential": ["FEDTAX"]},
            ParameterError,
            "more parameters: n_clusters. It",
        ),
        ({"replace": {"AGI": "hybrid", "FICA": "mean"}}, ParameterError, '"hybrid" is for all columns together'),
        ({"replace": "hybrid", "confidential": ["AGI", "AGI"]}, ColumnError, '"AGI" more than once'),
        ({"replace": "hybrid:confidential=[AGI, AGI]"}, ParameterError, "each once"),
        ({"replace": MicroHybrid(confidential=["AGI"]), "confidential": ["FICA"]}, ParameterError, "differ"),
        ({"replace": "hybrid:confidential=AGI", "confidential": ["FICA"]}, ParameterError, "differ"),
        ({"replace": MicroHybrid(confidential=["AGI"]), "confidential": []}, ParameterError, "differ"),
        ({"replace": "hybrid", "confidential": []}, ParameterError, r"--confidential\).*--role COLUMN=confidential"),
        ({"replace": {"name": ["hybrid"]}, "confidential": ["AGI"]}, ParameterError, "replace must be a name"),
        ({"replace": "muralidhar-sarathy:alpha=2", "confidential": ["FEDTAX"]}, (ParameterError, DataError), "alpha"),
    ],
)
def test_what_cannot_be_done_is_refused_in_one_line(census, options, error, message):
    with pytest.raises(error, match=message) as caught:
        protect_part(census, 30, **options)
    assert "\n" not in str(caught.value)


def test_dates_and_missing_values_are_refused(census):
    frame = census.assign(day=pd.date_range("2020-01-01", periods=1080))
    with pytest.raises(DataError, match=r'"day" \(dates or times\).*--kind "day=nominal"'):
        protect_part(frame, 30, replace="hybrid", confidential=["AGI", "day"])
    frame = census.astype(float)
    frame.loc[3, "AGI"] = np.nan
    for missing in ("error", "keep"):
        with pytest.raises(MissingValuesError, match=r'"AGI" \(1\).*complete records. Fill them, or drop') as caught:
            protect_part(frame, 30, replace="hybrid", confidential=["FEDTAX"], missing=missing)
        assert "keep" not in str(caught.value)


def test_a_plan_that_rewrites_nothing_is_refused(census, tmp_path):
    release = protect_part(census, 25, replace="ipso", confidential=["AGI"], seed=2)
    release.plan.to_toml(tmp_path / "plan.toml")
    text = (tmp_path / "plan.toml").read_text()
    (tmp_path / "plan.toml").write_text(text.replace('confidential = [\n    "AGI",\n]\n', ""))
    with pytest.raises(PlanError, match="name them in confidential"):
        shoal.Plan.from_toml(tmp_path / "plan.toml")


def test_a_plan_that_names_other_variables_twice_is_refused(census, tmp_path):
    release = protect_part(census, 25, replace="ipso", confidential=["AGI", "FICA"], seed=2)
    plan = release.plan.model_dump(exclude={"outcome"})
    for own, fits in ((["AGI", "FICA"], True), (["FICA", "AGI"], True), (["FEDTAX"], False)):
        replace = {name: choice | {"confidential": own} for name, choice in plan["replace"].items()}
        if fits:
            again = run_part(shoal.Plan.settled(**plan | {"replace": replace}), census)
            pd.testing.assert_frame_equal(again.data, release.data, check_exact=True)
            continue
        with pytest.raises(ParameterError, match=r'the confidential of replace "ipso" differ'):
            shoal.Plan.settled(**plan | {"replace": replace})


def test_a_variable_that_follows_from_the_kept_ones_is_refused(census):
    """PTOTVAL = POTHVAL + PEARNVAL: without residual it would come out as it is."""
    with pytest.raises(DataError, match=r'"PTOTVAL" follows from the variables that stay'):
        protect_part(census, 20, replace="ipso", confidential=["PTOTVAL", "FICA"], seed=1)


def test_values_that_come_out_as_they_were_are_counted(census):
    release = protect_part(census, 20, replace="hybrid", confidential=CONFIDENTIAL, seed=1)
    same = int((release.data[CONFIDENTIAL].round() == census[CONFIDENTIAL]).sum().sum())
    assert same > 300
    assert any(note.startswith(f"{same} of 4320 confidential values") for note in release.plan.outcome.notes)


def test_alpha_goes_by_the_order_of_confidential():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(400, 3)), columns=["a", "b", "y"])
    replace = MuralidharSarathy(alpha=[0.95, 0.0])
    masked = protect_part(frame, 20, replace=replace, confidential=["b", "a"], seed=1).data
    assert masked["b"].corr(frame["b"]) > 0.9 > 0.3 > abs(masked["a"].corr(frame["a"]))
    for text in ("muralidhar-sarathy:alpha=[0.95,0.0]", "muralidhar-sarathy:alpha=[.95,0.]"):
        again = protect_part(frame, 20, replace=text, confidential=["b", "a"], seed=1).data
        pd.testing.assert_frame_equal(again, masked)
    with pytest.raises(ParameterError, match=r'alpha must be a number.*"half" is none'):
        protect_part(frame, 20, replace="muralidhar-sarathy:alpha=[.5,half]", confidential=["b", "a"], seed=1)


def test_what_could_be_turned_back_is_refused(census):
    """One degree of freedom, or alpha = -1: the release is the mirror image of the original."""
    small = census.iloc[:7][["FEDTAX", "AGI", "FICA", "INTVAL", "POTHVAL", "STATETAX"]]
    with pytest.raises(TooFewRecordsError, match="IPSO needs 2 records more"):
        protect_part(small, 3, replace="ipso", confidential=["FEDTAX"], seed=1)
    with pytest.raises(ParameterError, match="follow from the release"):
        protect_part(census, 20, replace="muralidhar-sarathy:alpha=-1", confidential=CONFIDENTIAL)


@pytest.mark.parametrize("k", [5, 13, 60])
@pytest.mark.parametrize("confidential", [CONFIDENTIAL, ["FEDTAX", "TAXINC"]])
def test_the_way_out_that_is_named_first_leads_to_a_release(census, k, confidential):
    try:
        protect_part(census, k, replace="hybrid", confidential=confidential, seed=1)
    except GroupsTooSmallError as error:
        assert error.least > k
        assert f"raise k to at least {error.least} (more may be needed)" in str(error)
        way = re.search(r"--replace (hybrid:small_groups=\S+?)\)", str(error))[1]
        protect_part(census, k, replace=way, confidential=confidential, seed=1)
    else:
        assert k > 5


def test_the_least_k_of_all_strata_and_blocks_is_named():
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(rng.normal(size=(300, 7)), columns=list("abcdefg")).assign(part=["x", "y", "z"] * 100)
    frame.loc[frame["part"] == "x", ["d", "e"]] = 0.0  # in part x fewer variables tell records apart
    frame.loc[frame["part"] == "y", "e"] = 0.0
    options = {"replace": "hybrid", "strata": "part", "seed": 1}
    with pytest.raises(TooFewRecordsError, match=r"needs at least k=7 .*in a stratum of part,.*raise k to at least 7 "):
        protect_part(frame, 3, columns=list("abcde"), confidential=["a"], **options)
    protect_part(frame, 7, columns=list("abcde"), confidential=["a"], **options)
    with pytest.raises(TooFewRecordsError, match=r"needs at least k=7 .*raise k to at least 7 "):
        protect_part(frame, 3, blocks=[["f", "g"], list("abcde")], confidential=["f", "a"], **options)


@pytest.mark.parametrize("way", ["error", "merge", "drop-others"])
def test_a_record_that_no_group_hides_is_rewritten_without_the_others(census, way):
    """One record has a variable of its own: whatever the groups are, the others say what it is."""
    frame = census.assign(only=0.0)
    frame.loc[7, "only"] = 0.5
    release = protect_part(frame, 20, replace=f"hybrid:small_groups={way}", confidential=CONFIDENTIAL, seed=1)
    assert any("stand alone" in note and "at least 20 together" in note for note in release.plan.outcome.notes)
    distance = (release.data[CONFIDENTIAL] - frame[CONFIDENTIAL]).abs() / frame[CONFIDENTIAL]
    assert distance.loc[7].min() > 0.01


def test_what_is_too_small_for_any_k_says_so(census):
    with pytest.raises(TooFewRecordsError, match="needs at least k=13") as caught:
        protect_part(census.head(12), 5, replace="hybrid", confidential=CONFIDENTIAL, seed=1)
    assert not any(way in str(caught.value) for way in ("aise k", "merge"))


def test_groups_are_told_as_they_are_after_merging(census):
    frame = census.assign(part=np.arange(len(census)) % 2)
    release = protect_part(
        frame, 5, replace="hybrid:small_groups=merge", confidential=CONFIDENTIAL, strata="part", seed=1
    )
    (partition,), outcome = release.partitions, release.plan.outcome
    assert outcome.smallest_group == outcome.smallest_support == partition.k == partition.sizes.min() >= 13
    assert outcome.groups == [len(partition.sizes)]
    for group in range(len(partition.sizes)):
        rows = partition.labels == group
        assert frame.loc[rows, "part"].nunique() == 1
        # Each group, as it is told, keeps its own means and covariances.
        assert apart(census[rows], release.data.loc[rows, list(census)]) < 1e-6
    merged = [note for note in outcome.notes if note.startswith("Groups merged")]
    assert merged == [f"Groups merged with others, to hide their residuals: {216 - outcome.groups[0]} of 216."]


def residuals(frame, names, others):
    """Return what is left of the variables after a regression on the others of their block."""
    Y = np.column_stack([np.ones(len(frame)), frame[others].to_numpy(float)])
    X = frame[names].to_numpy(float)
    return X - Y @ np.linalg.lstsq(Y, X, rcond=None)[0]


def test_every_block_takes_its_part_of_alpha():
    """New residuals are alpha times the old and noise orthogonal to them, so that E'N = E'E alpha'."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(200, 6)), columns=list("abcdyz"))
    blocks, confidential = [["a", "c", "y"], ["b", "d", "z"]], ["d", "c", "b", "a"]
    alpha = np.array([[0.1, 0.3, 0.2, 0.0], [0.0, 0.5, 0.0, 0.4], [0.25, 0.0, 0.6, 0.0], [0.0, 0.2, 0.0, 0.7]])
    for given in (alpha, alpha.diagonal()):
        full = np.diag(given) if given.ndim == 1 else given
        replace = MuralidharSarathy(alpha=given)
        release = protect_part(frame, 20, replace=replace, confidential=confidential, blocks=blocks, seed=1)
        for names, other in ((["d", "b"], ["z"]), (["c", "a"], ["y"])):
            places = [confidential.index(name) for name in names]
            old, new = (residuals(one, names, other) for one in (frame, release.data))
            assert old.T @ new == pytest.approx(old.T @ old @ full[np.ix_(places, places)].T, abs=1e-9)
        assert any("different blocks" in note for note in release.plan.outcome.notes) == (given.ndim == 2)
        again = run_part(release.plan, frame)
        pd.testing.assert_frame_equal(again.data, release.data, check_exact=True)
    with pytest.raises(ParameterError, match="each of the 4 confidential variables; it has 2"):
        protect_part(
            frame, 20, replace=MuralidharSarathy(alpha=[0.1, 0.2]), confidential=confidential, blocks=blocks, seed=1
        )


@pytest.mark.parametrize("method", ["mdav", "refine:steps=64"])
def test_blocks_with_nothing_to_rewrite_are_left_alone(census, tmp_path, method):
    frame = census.astype(float)
    frame.loc[3, "INTVAL"] = np.nan  # of a block that nobody looks at
    blocks = [["AFNLWGT", "INTVAL"], ["FEDTAX", "AGI"], ["FICA", "STATETAX"], ["TAXINC", "ERNVAL"]]
    release = protect_part(
        frame, 20, blocks=blocks, method=method, replace="hybrid", confidential=["FEDTAX", "TAXINC"], seed=1
    )
    assert [partition.columns for partition in release.partitions] == [("AGI", "FEDTAX"), ("ERNVAL", "TAXINC")]
    assert len(release.plan.outcome.groups) == 2
    others = [name for name in frame if name not in ("FEDTAX", "TAXINC")]
    pd.testing.assert_frame_equal(release.data[others], frame[others])
    release.plan.to_toml(tmp_path / "plan.toml")
    again = run_part(shoal.Plan.from_toml(tmp_path / "plan.toml"), frame)
    pd.testing.assert_frame_equal(again.data, release.data, check_exact=True)
    plan = release.plan.model_dump(exclude={"steps", "outcome"}) | {"confidential": ["TAXINC"]}
    with pytest.raises(ParameterError, match=r"The block AGI, FEDTAX has no confidential variable. Leave it out"):
        shoal.Plan.settled(**plan)


def test_what_was_accepted_is_counted(census):
    release = protect_part(census, 11, replace="hybrid:small_groups=accept", confidential=CONFIDENTIAL, seed=1)
    records = int((release.data[CONFIDENTIAL].round() == census[CONFIDENTIAL]).all(axis=1).sum())
    assert records > 0
    assert any(f"; {records} of 1080 records do in all of them" in note for note in release.plan.outcome.notes)


def test_all_that_was_accepted_is_released_and_said_loudly(census):
    """At k = 9 every record comes back, and whoever accepts that is told which variables do."""
    with pytest.warns(DisclosureWarning, match="released as it is, which was accepted") as caught:
        release = protect_part(census, 9, replace="hybrid:small_groups=accept", confidential=CONFIDENTIAL, seed=1)
    assert [str(one.message).split('"')[1] for one in caught] == CONFIDENTIAL
    assert (release.data[CONFIDENTIAL].round() == census[CONFIDENTIAL]).all(axis=None)
    assert any("1080 of 1080 records do in all of them, which was accepted" in n for n in release.plan.outcome.notes)


WAYS = ("hybrid", "hybrid:small_groups=drop-others", "hybrid:small_groups=accept", "hybrid:small_groups=merge", "ipso")
OTHER_WAYS = ("ipso:accept_unchanged=true", "muralidhar-sarathy:alpha=0", "fuzzy-regression:n_clusters=3")


@pytest.mark.parametrize("replace", WAYS + OTHER_WAYS)
def test_what_the_kept_variables_say_is_refused_whatever_is_accepted(census, replace):
    """A sum, a copy and a copy within rounding: no way out is offered but those that lead somewhere."""
    near = census["AGI"] + np.random.default_rng(0).normal(0, 0.1, len(census))
    for frame, name in (
        (census, "PTOTVAL"),
        (census.assign(copy=census["AGI"]), "AGI"),
        (census.assign(y=near), "AGI"),
    ):
        with pytest.raises(
            DataError, match=rf'"{name}" follows from the variables that stay, .* Name one of'
        ) as caught:
            protect_part(frame, 20, replace=replace, confidential=[name], seed=1)
        assert not any(way in str(caught.value) for way in ("accept", "drop-others", "fewer"))


@pytest.mark.parametrize(
    "options",
    [
        {"columns": ["PTOTVAL", "AGI"]},
        {"blocks": [["PTOTVAL", "AGI"], ["POTHVAL", "PEARNVAL"]]},
        {"columns": ["PTOTVAL", "AGI"], "roles": {"POTHVAL": "key"}, "strata": "half"},
    ],
    ids=["not among the columns", "another block", "in strata"],
)
@pytest.mark.filterwarnings("ignore::shoal.errors.DescriptionWarning")
def test_what_columns_outside_the_block_say_is_noted(census, options):
    frame = census.assign(half=["a", "b"] * 540)
    if "columns" in options:
        frame["POTHVAL"] = frame["POTHVAL"].astype(float)
        frame.loc[5, "POTHVAL"] = np.nan  # a gap hides one record, not the others
    told = {}
    for dropped in ({}, {"PEARNVAL": "identifier"}):
        if "blocks" in options and dropped:
            continue
        release = protect_part(
            frame,
            20,
            replace="hybrid",
            confidential=["PTOTVAL"],
            seed=1,
            **(options | {"roles": options.get("roles", {}) | dropped}),
        )
        told[bool(dropped)] = [note for note in release.plan.outcome.notes if '"PTOTVAL" follows' in note]
    assert told[False]
    assert not told.get(True)


def test_a_variable_that_nearly_follows_is_named(census):
    frame = census.assign(monthly=(census["AGI"] / 12).round())
    release = protect_part(frame, 20, replace="ipso", confidential=["AGI", "FEDTAX"], seed=1)
    notes = [note for note in release.plan.outcome.notes if note.startswith('"AGI"')]
    assert any("comes out nearly as it was" in note for note in notes)
    assert not any(note.startswith('"FEDTAX"') for note in release.plan.outcome.notes)
    plain = protect_part(census, 20, replace="ipso", confidential=["AGI", "FEDTAX"], seed=1)
    assert not any(note.startswith('"') for note in plain.plan.outcome.notes)


@pytest.mark.parametrize("seed", range(1, 4))
@pytest.mark.parametrize(
    ("k", "replace", "confidential"),
    [
        (20, "hybrid", CONFIDENTIAL),
        (12, "hybrid:small_groups=drop-others", CONFIDENTIAL[:2]),
        (5, "hybrid:small_groups=merge", CONFIDENTIAL[:2]),
        (20, "ipso", ["FEDTAX"]),
    ],
)
def test_no_record_rounds_back(census, k, replace, confidential, seed):
    release = protect_part(census, k, replace=replace, confidential=confidential, seed=seed)
    assert not (release.data[confidential].round() == census[confidential]).all(axis=1).any()


def test_values_that_differ_by_rounding_only_are_refused():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": 2.0**60 + 256 * rng.integers(0, 9, size=200), "y": rng.normal(size=200)})
    with pytest.raises(DataError, match='values of "a" differ by no more than rounding'):
        protect_part(frame, 20, replace="hybrid", confidential=["a"], kinds={"a": "continuous"}, seed=1)


def test_few_values_come_back_by_chance_and_that_is_said():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"children": rng.integers(0, 5, size=300), "y": rng.normal(size=300)})
    kinds = {"children": "continuous"}
    release = protect_part(frame, 20, replace="ipso", confidential=["children"], kinds=kinds, seed=1)
    count = int((release.data["children"].round() == frame["children"]).sum())
    assert any(note.startswith(f"{count} of 300 conf") and "by chance" in note for note in release.plan.outcome.notes)


def test_a_constant_offers_nothing_to_accept(census):
    for replace in ("hybrid", "hybrid:small_groups=accept", "ipso"):
        with pytest.raises(DataError, match='All values of "one" are the same') as caught:
            protect_part(census.assign(one=1), 20, replace=replace, confidential=["one"], seed=1)
        assert "accept" not in str(caught.value)


def test_a_constant_has_nothing_to_rewrite(census):
    with pytest.raises(DataError, match='All values of "one" are the same: there is nothing to rewrite'):
        protect_part(census.assign(one=1.0), 20, replace="ipso", confidential=["one", "AGI"], seed=1)


def test_errors_in_a_stratum_say_so(census):
    frame = census.assign(part=np.where(np.arange(len(census)) < 10, "few", "many"))
    with pytest.raises(TooFewRecordsError, match=r"^In a stratum of part: IPSO needs 4 records more"):
        protect_part(frame, 5, replace="ipso", confidential=CONFIDENTIAL, strata="part", seed=1)


def test_ipso_in_groups_names_a_k_that_will_do(census):
    with pytest.raises(TooFewRecordsError, match="Raise k to 13 or more"):
        protect_part(census, 5, method="mdav", replace="ipso", confidential=CONFIDENTIAL, seed=1)
    release = protect_part(
        census, 13, method="mdav", replace="ipso:accept_unchanged=true", confidential=CONFIDENTIAL, seed=1
    )
    assert any("easier to link" in note for note in release.plan.outcome.notes)


@pytest.mark.parametrize(
    ("replace", "method", "risk"),
    [
        ("ipso", "one-group", None),
        ("muralidhar-sarathy", "one-group", None),
        ("muralidhar-sarathy", "mdav", "easier to link than those of plain"),
        ("fuzzy-regression:n_clusters=3", "one-group", "more models .* easier records are to link"),
    ],
)
def test_what_makes_linking_easier_is_said(census, replace, method, risk):
    release = protect_part(census, 60, method=method, replace=replace, confidential=CONFIDENTIAL, seed=1)
    notes = " ".join(release.plan.outcome.notes)
    assert bool(re.search(risk or "to link", notes)) == bool(risk)


def test_the_command_takes_roles_and_says_settings_its_own_way(census, tmp_path):
    shoal.write_table(census, tmp_path / "data.csv")

    def ran(command):
        return run_shoal(*f"protect data.csv --seed 1 {command}".split(), cwd=tmp_path)

    done = ran("-k 20 --replace ipso --role FEDTAX=confidential --role AGI=confidential --keep-order -o masked.csv")
    assert done.returncode == 0, done.stderr
    expected = protect_part(census, 20, replace="ipso", confidential=["AGI", "FEDTAX"], seed=1).data
    pd.testing.assert_frame_equal(shoal.read_table(tmp_path / "masked.csv"), expected, rtol=0, atol=0.005001)
    small = ran("-k 5 --replace hybrid --confidential FEDTAX,AGI")
    assert small.returncode == 1
    assert 'small_groups="merge", --replace hybrid:small_groups=merge' in small.stderr
    one = ran("-k 20 --replace FEDTAX=hybrid")
    assert 'replace "hybrid" is for all columns together' in one.stderr
