"""The releases that are compared, and what is measured on each."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

import shoal
from shoal.errors import ShoalWarning

EIA = "utilityid resrevenue ressales comrevenue comsales indrevenue indsales othrevenue othrsales totrevenue totsales"
COLUMNS = {"census": None, "tarragona": None, "eia": EIA.split()}  # those of the literature
SIZES = (3, 5, 10)
SEEDS = (0, 1, 2)  # of the releases that are drawn; EIA has the first alone, since it takes long
METHODS: dict[str, dict[str, Any]] = {
    "mdav": {},
    "refine": {"method": "refine:steps=2000"},
    "at-least-k": {"method": "at-least-k"},
    "at-least-k, drawn": {"method": "at-least-k", "replace": "membership-draw"},
    "fuzzy": {"method": "fuzzy"},
}
DRAWN = ("at-least-k, drawn", "fuzzy")
COMPONENTS = ("values", "means", "covariances", "variances", "correlations")


@dataclass(frozen=True)
class Case:
    """One release of the comparison."""

    file: str
    k: int
    method: str
    seed: int


def cases(files: tuple[str, ...]) -> list[Case]:
    """Return the releases of some files; those in which nothing is drawn have one seed."""
    return [
        Case(file, k, method, seed)
        for file in files
        for k in SIZES
        for method in METHODS
        for seed in (SEEDS if method in DRAWN and file != "eia" else SEEDS[:1])
    ]


def table_of(folder: Path, file: str) -> pd.DataFrame:
    """Read a file, with the columns that the literature uses."""
    table = shoal.read_table(folder / f"{file}.csv")
    return table if COLUMNS[file] is None else table[COLUMNS[file]]


def measured(folder: Path, case: Case) -> dict[str, Any]:
    """Make one release and measure it: the score of 2001 with its parts, squared error, attack."""
    warnings.simplefilter("ignore", ShoalWarning)
    table = table_of(folder, case.file)
    release = shoal.protect(table, case.k, seed=case.seed, **METHODS[case.method])
    evaluation = release.evaluate(
        measures=["information_loss", "mean_variation", "score", "transparency_attack"],
        options={"score": {"weights": "2001"}},
    )
    score, variation = evaluation.score, evaluation.mean_variation
    return {
        "file": case.file,
        "k": case.k,
        "method": case.method,
        "score": float(score),
        "IL": score.loss,
        "DR": score.risk,
        "DLD": score.distance_linkage,
        "PLD": score.probabilistic_linkage,
        "ID": score.interval_disclosure,
        "attack": float(evaluation.transparency_attack),
        "squared error": float(evaluation.information_loss),
        "groups": release.data.drop_duplicates().shape[0],
        **{f"IL of {name}": 100 * getattr(variation, name) for name in COMPONENTS},
    }
