"""Synthetic and hybrid data of a mixed table: what is exact, and how near the rest comes.

    python benchmarks/mixed_tables.py               testdata.csv of the reference files, persons of a household survey
    python benchmarks/mixed_tables.py --seeds 20    more releases of each method

Numbers and categories stay, others are rewritten. A line is something that is kept, a column is a method; a value is
the largest deviation in any release; of what is kept in expectation, the mean over all pairs of variables in the
original and in the releases, and by how much one pair is off at most, over the releases.
"""

from __future__ import annotations

import argparse
import os
import warnings
from collections.abc import Iterator
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pandas as pd

import shoal

DATA = Path(os.environ.get("SHOAL_REFERENCE_DATA", Path(__file__).parents[2] / "shared" / "data"))
KEPT_CATEGORIES = ["urbrur", "roof", "walls", "electcon", "sex"]
KEPT_NUMBERS = ["age"]
CATEGORIES = ["relat", "hhcivil", "water"]
NUMBERS = ["expend", "income", "savings"]
MASKINGS = {
    "ipso, k=10": {"k": 10, "replace": "ipso"},
    "m.-s., k=10": {"k": 10, "replace": "muralidhar-sarathy"},
    "hybrid, k=25": {"k": 25, "replace": "hybrid:small_groups=merge"},
}


def table() -> pd.DataFrame:
    """Return the file, with codes as text, so that their kind needs no stating."""
    frame = pd.read_csv(DATA / "testdata.csv")[[*KEPT_CATEGORIES, *KEPT_NUMBERS, *CATEGORIES, *NUMBERS]]
    return frame.astype(dict.fromkeys([*KEPT_CATEGORIES, *CATEGORIES], str))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=5)
    seeds = parser.parse_args().seeds
    frame = table()
    columns: dict[str, dict[str, str]] = {}
    for name, options in MASKINGS.items():
        releases = []
        for seed in range(seeds):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                release = shoal.protect(
                    frame, columns=list(frame), confidential=[*NUMBERS, *CATEGORIES], seed=seed, **options
                )
            releases.append(release.data)
        print(f"{name}: {release.plan.outcome.groups[0]} groups; {' '.join(release.plan.outcome.notes)}")
        columns[name] = dict(described(frame, releases))
    print()
    print(pd.DataFrame(columns).to_string())


def described(before: pd.DataFrame, releases: list[pd.DataFrame]) -> Iterator[tuple[str, str]]:
    """Give every line of the table with what it says of these releases."""
    enough = {name: before[name].value_counts() >= 25 for name in KEPT_CATEGORIES}
    frequent = {name: before[name].map(counts) for name, counts in enough.items()}

    def worst(measure: object, *arguments: object) -> str:
        return f"{max(measure(before, after, *arguments) for after in releases):.1e}"  # type: ignore[operator]

    def both(measure: object, pairs: list[tuple[str, str]]) -> str:
        old = np.array([measure(before[a], before[b]) for a, b in pairs])  # type: ignore[operator]
        new = np.array([[measure(after[a], after[b]) for a, b in pairs] for after in releases])  # type: ignore[operator]
        return f"{old.mean():.3f} -> {new.mean():.3f}, {np.abs(new.mean(axis=0) - old).max():.3f}"

    yield "means of rewritten numbers (sd)", worst(means_off)
    yield "their correlations, and with kept numbers", worst(correlations_off)
    yield "their means by kept category (sd)", worst(means_by_category_off, frequent)
    yield "margins of rewritten categories (records)", worst(margins_off)
    yield "tables, rewritten by kept category (records)", worst(tables_off)
    yield "records with all rewritten values unchanged", str(max(unchanged(before, after) for after in releases))
    yield "Cramer's V, rewritten by kept category", both(cramers_v, list(product(CATEGORIES, KEPT_CATEGORIES)))
    yield "Cramer's V, rewritten by rewritten", both(cramers_v, list(combinations(CATEGORIES, 2)))
    yield "eta, kept number by rewritten category", both(eta, list(product(KEPT_NUMBERS, CATEGORIES)))
    yield "eta, rewritten number by rewritten category", both(eta, list(product(NUMBERS, CATEGORIES)))
    for name in CATEGORIES:
        kept = np.mean([(after[name] == before[name]).mean() for after in releases])
        chance = (before[name].value_counts(normalize=True) ** 2).sum()
        yield f"records that keep their category of {name}", f"{kept:.1%}, by chance {chance:.1%}"


def means_off(before: pd.DataFrame, after: pd.DataFrame) -> float:
    return float(((after[NUMBERS].mean() - before[NUMBERS].mean()).abs() / before[NUMBERS].std()).max())


def correlations_off(before: pd.DataFrame, after: pd.DataFrame) -> float:
    sd = before[[*NUMBERS, *KEPT_NUMBERS]].std()
    off = after[sd.index].cov() - before[sd.index].cov()
    return float((off.abs() / np.outer(sd, sd)).to_numpy().max())


def means_by_category_off(before: pd.DataFrame, after: pd.DataFrame, frequent: dict[str, pd.Series]) -> float:
    worst = 0.0
    for name, is_frequent in frequent.items():
        old = before[is_frequent].groupby(name)[NUMBERS].mean()
        new = after[is_frequent].groupby(name)[NUMBERS].mean()
        worst = max(worst, float(((new - old).abs() / before[NUMBERS].std()).to_numpy().max()))
    return worst


def margins_off(before: pd.DataFrame, after: pd.DataFrame) -> float:
    return float(max((before[name].value_counts() - after[name].value_counts()).abs().max() for name in CATEGORIES))


def tables_off(before: pd.DataFrame, after: pd.DataFrame) -> float:
    """Return how many records of a table are in another cell, at most."""
    worst = 0.0
    for one, other in product(CATEGORIES, KEPT_CATEGORIES):
        old, new = (pd.crosstab(frame[one], frame[other]) for frame in (before, after))
        worst = max(worst, float((old - new).abs().to_numpy().sum() / 2))
    return worst


def unchanged(before: pd.DataFrame, after: pd.DataFrame) -> int:
    names = [*NUMBERS, *CATEGORIES]
    return int((before[names] == after[names]).all(axis=1).sum())


def cramers_v(one: pd.Series, other: pd.Series) -> float:
    counts = pd.crosstab(one, other).to_numpy().astype(float)
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / counts.sum()
    return float(np.sqrt(((counts - expected) ** 2 / expected).sum() / counts.sum() / (min(counts.shape) - 1)))


def eta(numbers: pd.Series, categories: pd.Series) -> float:
    """Return the correlation ratio: the root of the share of the variance between categories."""
    means = numbers.groupby(categories).transform("mean")
    return float(means.std(ddof=0) / numbers.std(ddof=0))


if __name__ == "__main__":
    main()
