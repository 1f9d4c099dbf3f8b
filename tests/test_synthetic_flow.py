"""Synthetic and hybrid data through `protect`: what they keep exactly, what they refuse, and plans."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import shoal
from shoal.errors import ColumnError, DataError, MethodError, ParameterError, PlanError, TooFewRecordsError
from shoal.replace import IPSO, FuzzyRegression, MicroHybrid, MuralidharSarathy

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
    release = shoal.protect(census, 20, replace=replace, confidential=confidential, seed=1)
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
    assert apart(frame, shoal.protect(frame, 25, replace="hybrid", confidential=confidential, seed=1).data) < 1e-8


def test_one_group_of_all_is_ipso(census):
    hybrid = shoal.protect(census, len(census), replace="hybrid", confidential=CONFIDENTIAL, seed=4)
    ipso = shoal.protect(census, 20, replace="ipso", confidential=CONFIDENTIAL, seed=4)
    pd.testing.assert_frame_equal(hybrid.data, ipso.data, check_exact=True)


def test_a_method_that_is_named_is_used(census):
    release = shoal.protect(census, 25, method="mdav", replace="ipso", confidential=CONFIDENTIAL, seed=1)
    assert release.plan.method["name"] == "mdav"
    assert len(release.partitions[0].sizes) > 1


def test_strata_are_rewritten_each_for_itself(census):
    frame = census.assign(part=np.where(census["AGI"] > census["AGI"].median(), "high", "low"))
    masked = shoal.protect(frame, 20, replace="ipso", confidential=CONFIDENTIAL, strata="part", seed=1).data
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
    release = shoal.protect(census, 25, replace=replace, confidential=confidential, seed=2)
    assert release.plan.confidential == CONFIDENTIAL
    release.plan.to_toml(tmp_path / "plan.toml")
    again = shoal.Plan.from_toml(tmp_path / "plan.toml").run(census)
    pd.testing.assert_frame_equal(again.data, release.data, check_exact=True)


def test_hybrid_wins_utility_and_loses_risk(census):
    """METHODS 3, Census at k = 20: PIL 6 against 69, linkage 23 against 1; the plan says so."""
    hybrid = shoal.protect(census, 20, replace="hybrid", confidential=CONFIDENTIAL, seed=1)
    plain = shoal.protect(census, 20)
    names = ["probabilistic_information_loss", "distance_linkage"]
    one, other = (shoal.evaluate(census, release.data, CONFIDENTIAL, measures=names) for release in (hybrid, plain))
    assert one.probabilistic_information_loss < 10 < 60 < other.probabilistic_information_loss
    assert one.distance_linkage > 15 > 3 > other.distance_linkage
    assert any("easier to link" in note for note in hybrid.plan.outcome.notes)


def test_a_k_that_is_too_small_names_the_one_needed_and_the_ways_out(census):
    with pytest.raises(TooFewRecordsError, match=r"needs k=13 .* merge such groups .*drop-others"):
        shoal.protect(census, 5, replace="hybrid", confidential=CONFIDENTIAL)
    for way in ("merge", "drop-others"):
        release = shoal.protect(census, 5, replace=f"hybrid:small_groups={way}", confidential=CONFIDENTIAL, seed=1)
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
        ({"replace": "fuzzy-regression", "confidential": ["FEDTAX"]}, ParameterError, "needs more parameters"),
        ({"replace": "muralidhar-sarathy:alpha=2", "confidential": ["FEDTAX"]}, (ParameterError, DataError), "alpha"),
    ],
)
def test_what_cannot_be_done_is_refused_in_one_line(census, options, error, message):
    with pytest.raises(error, match=message) as caught:
        shoal.protect(census, 30, **options)
    assert "\n" not in str(caught.value)


def test_nominal_variables_and_gaps_are_refused(census):
    frame = census.assign(town=["A", "B"] * 540)
    with pytest.raises(ParameterError, match=r'"town" is nominal. Leave it out of the columns'):
        shoal.protect(frame, 30, columns=["AGI", "FEDTAX", "town"], replace="hybrid", confidential=["town"])
    frame = census.astype(float)
    frame.loc[3, "AGI"] = np.nan
    with pytest.raises(MethodError, match="complete records"):
        shoal.protect(frame, 30, replace="hybrid", confidential=["FEDTAX"], missing="keep")


def test_a_plan_that_rewrites_nothing_is_refused(census, tmp_path):
    release = shoal.protect(census, 25, replace="ipso", confidential=["AGI"], seed=2)
    release.plan.to_toml(tmp_path / "plan.toml")
    text = (tmp_path / "plan.toml").read_text()
    (tmp_path / "plan.toml").write_text(text.replace('confidential = [\n    "AGI",\n]\n', ""))
    with pytest.raises(PlanError, match="name them in confidential"):
        shoal.Plan.from_toml(tmp_path / "plan.toml")


def test_a_variable_that_follows_from_the_kept_ones_is_refused(census):
    """PTOTVAL = POTHVAL + PEARNVAL: without residual it would come out as it is."""
    with pytest.raises(DataError, match=r'"PTOTVAL" follows from the variables that stay'):
        shoal.protect(census, 20, replace="ipso", confidential=["PTOTVAL", "FICA"], seed=1)


def test_values_that_come_out_as_they_were_are_counted(census):
    release = shoal.protect(census, 20, replace="hybrid", confidential=CONFIDENTIAL, seed=1)
    same = int((np.abs(release.data - census)[CONFIDENTIAL] <= 1e-9 * census[CONFIDENTIAL].std(ddof=0)).sum().sum())
    assert same > 0
    assert any(note.startswith(f"{same} of 4320 confidential values") for note in release.plan.outcome.notes)


def test_alpha_goes_by_the_order_of_confidential():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(400, 3)), columns=["a", "b", "y"])
    replace = MuralidharSarathy(alpha=[0.95, 0.0])
    masked = shoal.protect(frame, 20, replace=replace, confidential=["b", "a"], seed=1).data
    assert masked["b"].corr(frame["b"]) > 0.9 > 0.3 > abs(masked["a"].corr(frame["a"]))
    text = "muralidhar-sarathy:alpha=[0.95,0.0]"
    again = shoal.protect(frame, 20, replace=text, confidential=["b", "a"], seed=1).data
    pd.testing.assert_frame_equal(again, masked)


def test_what_could_be_turned_back_is_refused(census):
    """One degree of freedom, or alpha = -1: the release is the mirror image of the original."""
    small = census.iloc[:7][["FEDTAX", "AGI", "FICA", "INTVAL", "POTHVAL", "STATETAX"]]
    with pytest.raises(TooFewRecordsError, match="IPSO needs 2 records more"):
        shoal.protect(small, 3, replace="ipso", confidential=["FEDTAX"], seed=1)
    with pytest.raises(ParameterError, match="follow from the release"):
        shoal.protect(census, 20, replace="muralidhar-sarathy:alpha=-1", confidential=CONFIDENTIAL)
