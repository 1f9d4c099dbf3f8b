"""Fuzzy partitions: every record belongs to every cluster to a degree.

The names are imported when first used. `alternating`, the loop under all of them, needs only an array library and
array-api-compat, so that it also runs where numba and the dataframe libraries are not installed.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from shoal.partition.fuzzy.at_least_k import AtLeastK
    from shoal.partition.fuzzy.cmeans import CMeans, FuzzyCMeans, NoiseClustering
    from shoal.partition.fuzzy.entropy import EntropyFuzzyCMeans
    from shoal.partition.fuzzy.possibilistic import FuzzyPossibilisticCMeans, PossibilisticCMeans
    from shoal.partition.fuzzy.regression import FuzzyCRegression

__all__ = [
    "AtLeastK",
    "CMeans",
    "EntropyFuzzyCMeans",
    "FuzzyCMeans",
    "FuzzyCRegression",
    "FuzzyPossibilisticCMeans",
    "NoiseClustering",
    "PossibilisticCMeans",
]

_HOME = {
    "AtLeastK": "at_least_k",
    "CMeans": "cmeans",
    "EntropyFuzzyCMeans": "entropy",
    "FuzzyCMeans": "cmeans",
    "FuzzyCRegression": "regression",
    "FuzzyPossibilisticCMeans": "possibilistic",
    "NoiseClustering": "cmeans",
    "PossibilisticCMeans": "possibilistic",
}


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(f"shoal.partition.fuzzy.{_HOME[name]}"), name)
    raise AttributeError(f"module 'shoal.partition.fuzzy' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted(__all__)
