"""Recode: coarser key variables and suppressed cells, before anything is grouped."""

from __future__ import annotations

from shoal.recode.bands import Bands
from shoal.recode.base import Recode
from shoal.recode.catalogue import RECODES
from shoal.recode.date_part import DatePart
from shoal.recode.effect import KeyCounts, RecodeEffect, effect
from shoal.recode.hierarchy import Hierarchy
from shoal.recode.merge import Merge
from shoal.recode.rounding import Round
from shoal.recode.suppress import Suppression, suppress
from shoal.recode.top_bottom import TopBottom

__all__ = [
    "RECODES",
    "Bands",
    "DatePart",
    "Hierarchy",
    "KeyCounts",
    "Merge",
    "Recode",
    "RecodeEffect",
    "Round",
    "Suppression",
    "TopBottom",
    "effect",
    "suppress",
]
