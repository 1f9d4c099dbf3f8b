"""Every method a plan may name."""

from __future__ import annotations

from shoal.partition.base import Partitioner
from shoal.partition.cbfs import CBFS
from shoal.partition.fuzzy.at_least_k import AtLeastK
from shoal.partition.fuzzy.methods import SOFT_METHODS, SoftMethod
from shoal.partition.hac.hac import HAC
from shoal.partition.k_means_micro import KMeansMicro
from shoal.partition.md import MD
from shoal.partition.mdav.mdav import MDAV
from shoal.partition.mhm import MHM
from shoal.partition.mst import MST
from shoal.partition.mu_approx import MuApprox
from shoal.partition.one_group import OneGroup
from shoal.partition.optimal_univariate import OptimalUnivariate
from shoal.partition.refine.refine import Refine
from shoal.partition.tfrp import TFRP
from shoal.partition.vmdav import VMDAV

__all__ = ["METHODS", "PARTITIONERS", "SOFT_METHODS"]

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
    "at-least-k": AtLeastK,
}
METHODS: dict[str, type[Partitioner] | type[SoftMethod]] = {**PARTITIONERS, **SOFT_METHODS, "one-group": OneGroup}
