"""Every partitioner that finds its groups from the records alone; `Refine` can start from any of them."""

from __future__ import annotations

from shoal.partition.base import Partitioner
from shoal.partition.cbfs import CBFS
from shoal.partition.fuzzy.at_least_k import AtLeastK
from shoal.partition.hac import HAC
from shoal.partition.k_means_micro import KMeansMicro
from shoal.partition.md import MD
from shoal.partition.mdav.mdav import MDAV
from shoal.partition.mhm import MHM
from shoal.partition.mst import MST
from shoal.partition.mu_approx import MuApprox
from shoal.partition.optimal_univariate import OptimalUnivariate
from shoal.partition.tfrp import TFRP
from shoal.partition.vmdav import VMDAV

__all__ = ["ALGORITHMS"]

ALGORITHMS: tuple[type[Partitioner], ...] = (
    MDAV,
    VMDAV,
    MD,
    CBFS,
    TFRP,
    KMeansMicro,
    MuApprox,
    MST,
    MHM,
    HAC,
    OptimalUnivariate,
    AtLeastK,
)
