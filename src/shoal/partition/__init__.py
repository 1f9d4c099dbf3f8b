"""Partition: put the records into groups of at least k."""

from __future__ import annotations

from shoal.partition.base import Partition, Partitioner
from shoal.partition.cbfs import CBFS
from shoal.partition.hac import HAC
from shoal.partition.k_means_micro import KMeansMicro
from shoal.partition.lower_bound import lower_bound
from shoal.partition.md import MD
from shoal.partition.mdav import MDAV
from shoal.partition.mdav_generic import MDAVGeneric
from shoal.partition.mhm import MHM
from shoal.partition.mst import MST
from shoal.partition.mu_approx import MuApprox
from shoal.partition.optimal_univariate import OptimalUnivariate
from shoal.partition.refine import Refine
from shoal.partition.tfrp import TFRP
from shoal.partition.vmdav import VMDAV

__all__ = [
    "CBFS",
    "HAC",
    "MD",
    "MDAV",
    "MHM",
    "MST",
    "PARTITIONERS",
    "TFRP",
    "VMDAV",
    "KMeansMicro",
    "MDAVGeneric",
    "MuApprox",
    "OptimalUnivariate",
    "Partition",
    "Partitioner",
    "Refine",
    "lower_bound",
]

PARTITIONERS: dict[str, type[Partitioner]] = {
    "mdav": MDAV,
    "vmdav": VMDAV,
    "md": MD,
    "cbfs": CBFS,
    "tfrp": TFRP,
    "k-means": KMeansMicro,
    "mu-approx": MuApprox,
    "mst": MST,
    "mhm": MHM,
    "hac": HAC,
    "optimal-univariate": OptimalUnivariate,
    "refine": Refine,
}
"""What a plan may name as a method."""
