"""Releases to report on."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

import shoal
from shoal.errors import DisclosureWarning
from shoal.flow.release import Release
from shoal.measure import Evaluation
from shoal.report.facts.collect import Audience, Summary, summarize

SEED = 987_654_321
RULES = [
    "gross_income == wage_income + self_employment_income + capital_income + transfers",
    "net_income == gross_income - tax",
]
VILLAGES = 18


@dataclass(frozen=True)
class Measured:
    """A release, its measures, and the file it was made from."""

    release: Release
    evaluation: Evaluation
    file: Path

    def summary(self, audience: Audience) -> Summary:
        return summarize(self.release, audience, self.evaluation)


@pytest.fixture(scope="session")
def census(reference_data: Callable[[str], Path]) -> Measured:
    file = reference_data("census.csv")
    release = shoal.protect(file, 5, seed=SEED)
    return Measured(release, release.evaluate(), file)


@pytest.fixture(scope="session")
def survey(tmp_path_factory: pytest.TempPathFactory) -> Measured:
    """Return households with missing values and a nominal column most of whose values are rare."""
    table = shoal.datasets.households(900, seed=5, missing=0.03)
    rng = np.random.default_rng(3)
    chances = 1 / np.arange(1, VILLAGES + 1) ** 1.7
    names = [f"{start}{end}" for start in ("Upper", "Nether", "Old", "Far", "Kings", "Salt") for end in _ENDS]
    table["village"] = rng.choice(names[:VILLAGES], size=900, p=chances / chances.sum())
    file = tmp_path_factory.mktemp("a secret folder") / "survey.csv"
    shoal.write_table(table, file)
    with pytest.warns(DisclosureWarning, match="NOT PROTECTED .7.: region, household_size, education, "):
        release = shoal.protect(
            file,
            5,
            columns=["age", "tenure", "village", "wage_income", "capital_income", "tax", "housing_cost", "savings"],
            roles={"household_id": "identifier"},
            strata="area",
            weights="survey_weight",
            missing="keep",
            seed=SEED,
        )
    return Measured(release, release.evaluate(), file)


_ENDS = ("brook", "combe", "field", "gate", "hythe", "marsh", "ness", "thorpe", "wick", "worth")


@pytest.fixture(scope="session")
def ruled() -> Measured:
    columns = [
        "household_id",
        "age",
        "wage_income",
        "self_employment_income",
        "capital_income",
        "transfers",
        "gross_income",
        "tax",
        "net_income",
    ]
    table = shoal.datasets.households(300, seed=2)[columns]
    release = shoal.protect(table, 4, roles={"household_id": "identifier"}, edits=RULES, seed=1)
    return Measured(release, release.evaluate(quick=True), Path())


@pytest.fixture(scope="session")
def synthetic() -> Measured:
    table = shoal.datasets.households(200, seed=4)[["age", "wage_income", "tax", "housing_cost", "savings"]]
    with pytest.warns(DisclosureWarning, match="NOT PROTECTED .3.: age, wage_income, housing_cost"):
        release = shoal.protect(table, 20, replace="ipso", confidential=["tax", "savings"], seed=1)
    return Measured(release, release.evaluate(), Path())


@pytest.fixture(scope="session")
def keyed() -> Measured:
    """Return households with keys that were recoded and suppressed, and one that PRAM drew anew in another step."""
    table = shoal.datasets.households(600, seed=7)
    table = table[["region", "education", "age", "tenure", "wage_income", "survey_weight"]]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DisclosureWarning)
        release = shoal.protect(
            table,
            5,
            columns=["region", "education", "age", "wage_income"],
            roles={"region": "key", "education": "key", "age": "key", "tenure": "confidential"},
            recodes={"age": "bands:width=15,top=75", "education": "merge:rare=40"},
            weights="survey_weight",
            categories="suppress",
            seed=SEED,
        ).then(columns=["tenure"], replace="pram:pd=0.4", strata="region", missing="keep")
    return Measured(release, release.evaluate(quick=True), Path())
