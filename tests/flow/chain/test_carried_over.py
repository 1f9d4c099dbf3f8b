"""What carries over to a further step, and what has to be said anew."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import shoal
from shoal.errors import ColumnError, ParameterError
from unchanged_columns import not_protected, protect_part


@pytest.fixture
def release():
    rng = np.random.default_rng(5)
    data = pd.DataFrame(
        {
            "region": rng.choice(["a", "b"], 80),
            "size": rng.integers(1, 6, 80),
            "age": rng.integers(18, 90, 80),
            "wage": rng.normal(1000, 100, 80),
            "tax": rng.normal(100, 10, 80),
            "w": np.full(80, 2.0),
            "v": np.full(80, 3.0),
        }
    )
    roles = {"region": "stratum", "w": "weight", "wage": "confidential", "age": "key"}
    return protect_part(data, 4, columns=["size", "age"], roles=roles, kinds={"size": "continuous"}, seed=1)


def then(release, **options) -> shoal.Plan:
    with not_protected():
        return release.then(seed=2, **options).plan


def test_k_roles_and_kinds_carry_over(release):
    plan = then(release, columns=["size", "tax"])
    assert plan.k == 4
    assert plan.roles == release.plan.roles
    assert plan.kinds == {"size": "continuous", "tax": "continuous"}
    assert plan.scenarios == release.plan.scenarios


def test_what_is_given_anew_wins(release):
    plan = then(release, k=5, columns=["tax"], weights="v", kinds={"tax": "continuous"}, roles={"age": "other"})
    assert plan.k == 5
    assert plan.weights == "v"
    assert plan.roles["age"] == "other"
    assert "w" not in plan.roles


def test_a_stratum_that_a_step_names_is_protected(release):
    assert then(release, columns=["region"]).roles.get("region") is None
    assert then(release, blocks=[["region", "tax"]]).columns == ["region", "tax"]


def test_strata_given_anew_are_the_only_ones(release):
    plan = then(release, columns=["tax"], strata=["size"], method="mdav", kinds={"size": "nominal"}, k=2)
    assert plan.strata == ["size"]


def test_a_step_says_which_columns_it_protects(release):
    with pytest.raises(ParameterError, match="Say which columns this step protects") as error:
        release.then(method="vmdav")
    assert error.value.parameter == "columns"


@pytest.mark.parametrize(
    ("options", "columns"),
    [
        ({"columns": "tax"}, ["tax"]),
        ({"columns": iter(["tax", "wage"])}, ["wage", "tax"]),
        ({"blocks": [["tax"], ["wage"]]}, ["tax", "wage"]),
        ({"replace": {"tax": "median"}}, ["tax"]),
    ],
)
def test_columns_are_named_in_several_ways(release, options, columns):
    assert then(release, **options).columns == columns


def test_what_there_is_not_is_refused_with_the_nearest_name(release):
    with pytest.raises(ParameterError, match=r'protect has no option "metod".*"method"'):
        release.then(columns=["tax"], metod="vmdav")
    with pytest.raises(ColumnError, match=r'no column "taxx".*"tax"'):
        release.then(columns=["taxx"])
    with pytest.raises(ParameterError, match="roles must be a mapping"):
        release.then(columns=["tax"], roles=["tax"])
