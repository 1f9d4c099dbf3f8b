"""What is asked of a synthetic replacement: by name, mapping or object, with the confidential variables or by role."""

from __future__ import annotations

import pandas as pd
import pytest

import shoal
from shoal.errors import ColumnError, ParameterError
from shoal.replace import IPSO, MuralidharSarathy
from unchanged_columns import protect_part

CONFIDENTIAL = ["FEDTAX", "TAXINC", "WSALVAL", "ERNVAL"]


@pytest.fixture(scope="module")
def census(reference_data):
    return shoal.read_table(reference_data("census.csv"))


@pytest.mark.parametrize(
    "replace",
    [
        "ipso:confidential=[FEDTAX, AGI]",
        'ipso:confidential=["FEDTAX","AGI"]',
        {"name": "ipso", "confidential": ["FEDTAX", "AGI"]},
        IPSO(confidential=["FEDTAX", "AGI"]),
    ],
    ids=["words", "quoted", "mapping", "object"],
)
def test_confidential_may_be_said_with_the_replacement(census, replace):
    expected = protect_part(census, 20, replace="ipso", confidential=["FEDTAX", "AGI"], seed=1)
    release = protect_part(census, 20, replace=replace, seed=1)
    assert release.plan.replace == expected.plan.replace
    pd.testing.assert_frame_equal(release.data, expected.data, check_exact=True)
    same = protect_part(census, 20, replace=replace, confidential=["FEDTAX", "AGI"], seed=1)
    pd.testing.assert_frame_equal(same.data, expected.data, check_exact=True)


def test_the_order_of_the_names_matters_to_several_alphas_only(census):
    expected = protect_part(census, 20, replace="ipso", confidential=["AGI", "FEDTAX"], seed=1)
    turned = protect_part(
        census, 20, replace=IPSO(confidential=["FEDTAX", "AGI"]), confidential=["AGI", "FEDTAX"], seed=1
    )
    pd.testing.assert_frame_equal(turned.data, expected.data, check_exact=True)
    for alpha, fits in ((0.5, True), ([0.5, 0.4], False), ([[0.5, 0.0], [0.0, 0.5]], False)):
        replace = MuralidharSarathy(alpha=alpha, confidential=["FEDTAX", "AGI"])
        if fits:
            protect_part(census, 20, replace=replace, confidential=["AGI", "FEDTAX"], seed=1)
            continue
        with pytest.raises(ParameterError, match="differ in their order, which alpha goes by"):
            protect_part(census, 20, replace=replace, confidential=["AGI", "FEDTAX"], seed=1)


def test_a_mapping_is_a_choice_for_all_or_one_per_column(census):
    chosen = protect_part(census, 20, replace={"name": "ipso"}, confidential=CONFIDENTIAL, seed=1)
    assert chosen.plan.method["name"] == "one-group"
    again = protect_part(census, 20, replace=chosen.plan.replace, confidential=CONFIDENTIAL, seed=1)
    pd.testing.assert_frame_equal(again.data, chosen.data, check_exact=True)
    frame = census.rename(columns={"AGI": "name"})
    plan = shoal.protect(frame, 20, replace={"name": "median"}, roles={"name": "other"}).plan
    assert (plan.replace["name"]["name"], plan.replace["FICA"]["name"]) == ("median", "mean")
    plan = shoal.protect(census, 20, replace={"name": "median"}).plan
    assert {choice["name"] for choice in plan.replace.values()} == {"median"}


def test_columns_with_the_role_confidential_are_rewritten(census):
    roles = {"FEDTAX": "confidential", "AGI": "confidential"}
    by_role = protect_part(census, 20, replace="ipso", roles=roles, seed=1)
    assert by_role.plan.confidential == ["AGI", "FEDTAX"]  # in the order of the file
    named = protect_part(census, 20, replace="ipso", roles=roles, confidential=["AGI", "FEDTAX"], seed=1)
    pd.testing.assert_frame_equal(by_role.data, named.data, check_exact=True)
    for confidential in (["AGI"], ["AGI", "FEDTAX", "FICA"]):
        with pytest.raises(ColumnError, match="confidential and the role confidential differ"):
            protect_part(census, 20, replace="ipso", roles=roles, confidential=confidential)
    with pytest.raises(ColumnError, match="confidential and the role confidential differ"):
        protect_part(census, 20, replace="ipso", roles=roles, confidential=["AGI"], blocks=3)
