"""Small stand-ins for the files that the pages speak of, with the columns each page has in mind."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from shutil import copyfile

import numpy as np
import pandas as pd

import shoal
from book.pages import ROOT

__all__ = ["ON_TESTDATA", "has_testdata", "write_sample_files"]

# Pages that show what is printed of sdcMicro's own test file, which is not in the repository.
ON_TESTDATA = {"docs/how-to/from-sdcmicro.md", "docs/how-to/key-risk.md"}

RECORDS = 120
_TESTDATA = Path(os.environ.get("SHOAL_REFERENCE_DATA", ROOT.parent / "shared" / "data")) / "testdata.csv"
_CENSUS = "AFNLWGT AGI EMCONTRB ERNVAL FEDTAX FICA INTVAL PEARNVAL POTHVAL PTOTVAL STATETAX TAXINC WSALVAL"
_TARRAGONA = (
    "fixed_assets current_assets treasury uncommitted_funds paid_up_capital short_term_debt sales labor_costs "
    "depreciation operating_profit financial_outcome gross_profit net_profit"
)

# The columns of files on pages that have others in mind than the built-in survey; "a.csv > b.csv" protects a as b.
_ON_PAGES: dict[str, dict[str, str]] = {
    "README.md": {"persons.csv": "sex age region income", "rules.txt": "census"},
    "docs/how-to/cluster.md": {"parts/part-0.parquet": "age income tax", "parts/part-1.parquet": "age income tax"},
    "docs/how-to/compare.md": {"survey.csv": "region industry age income tax survey_weight"},
    "docs/how-to/contributors.md": {"firms.csv": "wage income tax savings"},
    "docs/how-to/decimals.md": {
        "survey.csv": "net tax gross price amount value",
        "rules.txt": "sums",
        "products.txt": "products",
    },
    "docs/how-to/job.md": {"survey.csv": "survey with ids"},
    "docs/how-to/key-risk.md": {"sample.csv": "sex age town", "register.csv": "sex age town"},
    "docs/how-to/plans.md": {"new.csv": "survey"},
    "docs/how-to/studio.md": {"survey-masked.csv": "survey.csv >"},
    "docs/how-to/tune.md": {"survey.csv": "region job age net tax gross", "rules.txt": "sums"},
    "docs/how-to/units.md": {"persons.csv": "household_id region age income"},
    "docs/steps/edits.md": {
        "survey.csv": "net tax gross age wage",
        "census16.csv": "net tax gross age wage",
        "census.xml": "net tax gross age wage",
        "rules.txt": "ages",
        "rules.sch": "ages",
        "sums.txt": "census",
        "masked.csv": "survey.csv >",
        "masked.xml": "census.xml >",
    },
    "docs/steps/measure.md": {
        "masked.csv": "census.csv >",
        "elsewhere.toml": "masked.csv.plan.toml",
        "large.parquet": "age income tax",
        "masked.parquet": "large.parquet >",
    },
    "docs/steps/partition.md": {
        "survey.csv": "region tenure occupation age income",
        "patients.csv": "diagnosis age income",
        "rules.txt": "census",
    },
    "docs/steps/recode.md": {
        "people.csv": "rel age income",
        "survey.csv": "region age income",
        "nuts.csv": "regions",
    },
    "docs/steps/replace.md": {"survey.csv": "sex region age income tax illness"},
    "docs/steps/report.md": {"masked.csv": "census.csv >"},
}
_TEXTS = {
    "census": "PTOTVAL == POTHVAL + PEARNVAL\n",
    "sums": "net + tax == gross\n",
    "products": "price * amount == value\n",
    "ages": "net + tax == gross\n0 <= age <= 120\nif age < 15 then wage == 0\n",
    "regions": "region,part,country\nNorth,upper,all\nEast,upper,all\nSouth,lower,all\nWest,lower,all\n",
}


def write_sample_files(folder: Path, page: str) -> None:
    """Write the files that a page speaks of into a folder; `page` is its path in the repository."""
    for name, table in _everywhere().items():
        shoal.write_table(table, folder / name)
    for name, words in _ON_PAGES.get(page, {}).items():
        _write(folder / name, words)
    if page in ON_TESTDATA and has_testdata():
        copyfile(_TESTDATA, folder / "testdata.csv")


def has_testdata() -> bool:
    """Say whether sdcMicro's test file is among the reference data."""
    return _TESTDATA.is_file()


def _write(path: Path, words: str) -> None:
    path.parent.mkdir(exist_ok=True)
    if words.endswith(" >"):
        shoal.protect(path.with_name(words.removesuffix(" >")), k=5, seed=1).write(path)
    elif words in _TEXTS:
        text = _TEXTS[words]
        if path.suffix == ".sch":
            text = shoal.edits.schematron_of(shoal.read_edits(text.splitlines()))
        path.write_text(text, encoding="utf-8")
    elif path.suffix == ".toml":
        copyfile(path.with_name(words), path)
    else:
        shoal.write_table(_table(words), path)


def _table(words: str) -> pd.DataFrame:
    if words.startswith("survey"):
        return survey().assign(household_id=np.arange(RECORDS)) if words == "survey with ids" else survey()
    return people()[words.split()]


@cache
def _everywhere() -> dict[str, pd.DataFrame]:
    return {
        "census.csv": census(),
        "tarragona.csv": amounts(_TARRAGONA),
        "testdata.csv": testdata(),
        "survey.csv": survey(),
    }


def amounts(names: str, seed: int = 0) -> pd.DataFrame:
    """Return correlated whole numbers, none of them twice in a column."""
    rng = np.random.default_rng(seed)
    columns = names.split()
    common = rng.normal(size=(RECORDS, 1))
    values = np.exp(9 + 0.6 * common + 0.5 * rng.normal(size=(RECORDS, len(columns))))
    return pd.DataFrame(np.rint(values).astype(int), columns=columns)


def census() -> pd.DataFrame:
    """Return a table with the columns of the CASC Census file, and the sum that holds in it."""
    table = amounts(_CENSUS)
    table["PTOTVAL"] = table["POTHVAL"] + table["PEARNVAL"]
    return table


def survey() -> pd.DataFrame:
    """Return the built-in survey without its identifier."""
    return shoal.datasets.households(RECORDS).drop(columns="household_id")


def testdata() -> pd.DataFrame:
    """Return persons in households, with the columns of sdcMicro's testdata."""
    rng = np.random.default_rng(1)
    households = np.repeat(np.arange(RECORDS // 3), 3)
    of_households = {"urbrur": 2, "roof": 4, "walls": 3, "water": 4, "electcon": 2}
    table = pd.DataFrame(
        {name: 1 + rng.integers(0, count, RECORDS // 3)[households] for name, count in of_households.items()}
    )
    table["relat"], table["sex"] = 1 + rng.integers(0, 5, RECORDS), 1 + rng.integers(0, 2, RECORDS)
    table["age"] = rng.integers(0, 90, RECORDS)
    table["hhcivil"] = 1 + rng.integers(0, 4, RECORDS)
    for name in ("expend", "income", "savings"):
        table[name] = rng.integers(1_000, 90_000_000, RECORDS)
    return table.assign(ori_hid=1 + households, sampling_weight=100, household_weights=25)


@cache
def people() -> pd.DataFrame:
    """Return persons with all columns that pages speak of, whose sums and products hold."""
    rng = np.random.default_rng(2)

    def one_of(words: str) -> list[str]:
        return list(rng.choice(words.split(), RECORDS))

    table = amounts("income tax savings net", seed=3)
    table["gross"] = table["net"] + table["tax"]
    table["age"] = 1 + np.arange(RECORDS) % 90
    table["wage"] = np.where(table["age"] < 15, 0, table["income"])
    table["price"], table["amount"] = rng.integers(100, 999, RECORDS) / 100, rng.integers(20, 200, RECORDS)
    table["value"] = (table["price"] * table["amount"]).round(2)
    table["id"] = [f"P{number:04d}" for number in range(RECORDS)]
    table["household_id"] = [f"H{number // 2:04d}" for number in range(RECORDS)]
    table["survey_weight"] = rng.integers(50, 60, RECORDS)
    for name, words in {
        "region": "North East South West",
        "tenure": "owner tenant rent-free",
        "water": "pipe well river",
        "job": "cook driver nurse clerk",
        "occupation": "cook cooks driver drivers nurse nurses",
        "industry": "food cars health",
        "sex": "female male",
        "town": "Aldermere Brackwater",
        "education": "primary secondary tertiary",
        "illness": "none flu asthma",
        "diagnosis": "flu asthma diabetes",
        "rel": "wife son head",
    }.items():
        table[name] = one_of(words)
    return table
