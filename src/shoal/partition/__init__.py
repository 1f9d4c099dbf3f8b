"""Partition: put the records into groups of at least k.

`PARTITIONERS` gives the estimators that `shoal.protect` knows by name. Importing this does not import numba; the
first `fit` does.
"""

from __future__ import annotations

from shoal.partition.base import Partition, Partitioner
from shoal.partition.mdav import MDAV
from shoal.partition.mdav_generic import MDAVGeneric

__all__ = ["MDAV", "PARTITIONERS", "MDAVGeneric", "Partition", "Partitioner"]

PARTITIONERS: dict[str, type[Partitioner]] = {"mdav": MDAV}
