"""HAC by Hamming's distance, from a table of nominal variables to its release."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import shoal
from command_line import run_shoal
from shoal.errors import MethodError
from shoal.partition.hac import HAC

NOMINAL = ["area", "region", "tenure"]
HAMMING = "hac:distance=hamming"


@pytest.fixture
def survey() -> pd.DataFrame:
    return shoal.datasets.households(200, seed=5)[["area", "region", "tenure", "education", "age", "household_size"]]


def test_groups_are_those_of_the_codes_and_get_their_most_frequent_value(survey):
    release = shoal.protect(survey[NOMINAL], k=3, method=HAMMING)
    codes = survey[NOMINAL].apply(lambda column: pd.factorize(column)[0])
    labels = release.partitions[0].labels
    np.testing.assert_array_equal(labels, HAC(3, distance="hamming").fit(codes).labels_)
    assert {spelled["name"] for spelled in release.plan.replace.values()} == {"mode"}
    for group in range(labels.max() + 1):
        for name in NOMINAL:
            counts = survey.loc[labels == group, name].value_counts()
            (released,) = set(release.data.loc[labels == group, name])
            assert counts[released] == counts.max()


def test_name_estimator_and_plan_agree(survey):
    named = shoal.protect(survey[NOMINAL], k=3, method=HAMMING, seed=1)
    made = shoal.protect(survey[NOMINAL], k=3, method=HAC(3, distance="hamming"), seed=1)
    pd.testing.assert_frame_equal(named.data, made.data)
    assert named.plan.method == made.plan.method


def test_numbers_that_are_declared_nominal_are_codes(survey):
    columns, kinds = ["household_size", "tenure"], {"household_size": "nominal"}
    release = shoal.protect(survey[columns], k=3, kinds=kinds, method=HAMMING, seed=1)
    assert set(release.data["household_size"]) <= set(survey["household_size"])
    assert release.data["household_size"].dtype == survey["household_size"].dtype
    as_text = survey.assign(household_size=survey["household_size"].map(lambda size: f"{size} persons"))
    other = shoal.protect(as_text[columns], k=3, method=HAMMING, seed=1)
    np.testing.assert_array_equal(release.partitions[0].labels, other.partitions[0].labels)


def test_groups_stay_within_strata(survey):
    release = shoal.protect(survey[NOMINAL], k=2, strata="region", method=HAMMING)
    assert (survey["region"].groupby(release.partitions[0].labels).nunique() == 1).all()


def test_variables_all_of_whose_values_are_the_same_do_no_harm(survey):
    frame = survey[["tenure"]].assign(country="here")
    with pytest.warns(shoal.errors.DescriptionWarning, match="country"):
        release = shoal.protect(frame, k=3, method=HAMMING)
    assert release.partitions[0].k >= 3
    with pytest.warns(shoal.errors.DescriptionWarning, match="country"):
        alone = shoal.protect(frame[["country"]], k=3, method=HAMMING)
    assert set(alone.data["country"]) == {"here"}


@pytest.mark.parametrize("others", [["age"], ["education"], ["age", "tenure"], ["education", "tenure"]])
def test_other_kinds_are_refused_in_one_line_that_says_what_to_use(survey, others):
    with pytest.raises(MethodError, match=r'^HAC with distance="hamming" groups nominal.* "mdav"[^\n]*$'):
        shoal.protect(survey, k=3, columns=others, method=HAMMING)


def test_missing_values_are_refused_in_one_line_that_says_what_to_use(survey):
    survey.loc[4, "tenure"] = None
    with pytest.raises(MethodError, match=r'have missing values.* "mdav"[^\n]*$'):
        shoal.protect(survey, k=3, columns=NOMINAL, method=HAMMING, missing="keep")
    assert shoal.protect(survey[NOMINAL], k=3, missing="keep").partitions[0].k >= 3


def test_other_distances_take_the_indicators_of_categories(survey):
    """Two records are the root of twice the number of mismatches apart: merged in the order of Hamming's distance."""
    survey = survey[NOMINAL]
    by_indicators = shoal.protect(survey, k=3, method="hac:distance=squared-euclidean,linkage=single")
    by_codes = shoal.protect(survey, k=3, method=f"{HAMMING},linkage=single")
    assert by_indicators.partitions[0].labels.tolist() == by_codes.partitions[0].labels.tolist()


def test_compare_puts_it_beside_mdav(survey):
    rows = shoal.compare(survey, [3, 5], ["mdav", HAMMING], columns=NOMINAL).rows
    assert {(row.method, row.k) for row in rows} == {("mdav", 3), ("mdav", 5), (HAMMING, 3), (HAMMING, 5)}
    assert all(row.smallest_group >= row.k for row in rows)


def test_the_commands_take_it(survey, tmp_path):
    shoal.write_table(survey, tmp_path / "data.csv")
    shared = ["--columns", "household_size,tenure", "--kind", "household_size=nominal"]
    for command in (
        ["protect", "-k", "3", "--method", HAMMING],
        ["compare", "-k", "3", "--methods", f"mdav,{HAMMING}"],
    ):
        ran = run_shoal(*command, *shared, "data.csv", cwd=tmp_path)
        assert ran.returncode == 0, ran.stderr
    masked = pd.read_csv(tmp_path / "data-masked.csv")
    assert masked.groupby(["household_size", "tenure"]).size().min() >= 3
    assert HAMMING in ran.stdout
