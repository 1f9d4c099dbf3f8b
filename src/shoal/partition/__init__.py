"""Partition: put the records into groups of at least k.

The names are imported when first used, so that one algorithm can be used without what the others need.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from shoal.partition import fuzzy
    from shoal.partition.base import Method, Partition, Partitioner
    from shoal.partition.bounds.lower_bound import LowerBound, lower_bound
    from shoal.partition.catalogue import METHODS, PARTITIONERS
    from shoal.partition.cbfs import CBFS
    from shoal.partition.hac import HAC, HACMixed
    from shoal.partition.k_means_micro import KMeansMicro
    from shoal.partition.md import MD
    from shoal.partition.mdav.generic import MDAVGeneric
    from shoal.partition.mdav.mdav import MDAV
    from shoal.partition.mhm import MHM
    from shoal.partition.mst import MST
    from shoal.partition.mu_approx import MuApprox
    from shoal.partition.one_group import OneGroup
    from shoal.partition.optimal_univariate import OptimalUnivariate
    from shoal.partition.refine.refine import Refine
    from shoal.partition.tfrp import TFRP
    from shoal.partition.vmdav import VMDAV

__all__ = [
    "CBFS",
    "HAC",
    "MD",
    "MDAV",
    "METHODS",
    "MHM",
    "MST",
    "PARTITIONERS",
    "TFRP",
    "VMDAV",
    "HACMixed",
    "KMeansMicro",
    "LowerBound",
    "MDAVGeneric",
    "Method",
    "MuApprox",
    "OneGroup",
    "OptimalUnivariate",
    "Partition",
    "Partitioner",
    "Refine",
    "fuzzy",
    "lower_bound",
]

_HOME = {
    "CBFS": "cbfs",
    "HAC": "hac",
    "MD": "md",
    "MDAV": "mdav.mdav",
    "MHM": "mhm",
    "MST": "mst",
    "METHODS": "catalogue",
    "PARTITIONERS": "catalogue",
    "TFRP": "tfrp",
    "VMDAV": "vmdav",
    "HACMixed": "hac",
    "KMeansMicro": "k_means_micro",
    "LowerBound": "bounds.lower_bound",
    "MDAVGeneric": "mdav.generic",
    "Method": "base",
    "MuApprox": "mu_approx",
    "OneGroup": "one_group",
    "OptimalUnivariate": "optimal_univariate",
    "Partition": "base",
    "Partitioner": "base",
    "Refine": "refine.refine",
    "lower_bound": "bounds.lower_bound",
}


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(f"shoal.partition.{_HOME[name]}"), name)
    if name == "fuzzy":
        return import_module("shoal.partition.fuzzy")
    raise AttributeError(f"module 'shoal.partition' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted(__all__)
