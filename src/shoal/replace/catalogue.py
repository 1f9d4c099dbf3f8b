"""Every replacement a plan may name."""

from __future__ import annotations

from shoal.replace.aggregate import ConvexMedian, GeometricMean, Mean, Median, Mode, OrderStatistic
from shoal.replace.base import Replacement
from shoal.replace.medoid import Medoid
from shoal.replace.membership_draw import MembershipDraw
from shoal.replace.perturb.noise import Noise
from shoal.replace.perturb.pram import PRAM
from shoal.replace.perturb.rank_swap import RankSwap
from shoal.replace.perturb.record_swap import RecordSwap
from shoal.replace.perturb.shuffle import Shuffle
from shoal.replace.synthetic.fuzzy_regression import FuzzyRegression
from shoal.replace.synthetic.hybrid import MicroHybrid
from shoal.replace.synthetic.ipso import IPSO
from shoal.replace.synthetic.muralidhar_sarathy import MuralidharSarathy

__all__ = [
    "IPSO",
    "PRAM",
    "REPLACEMENTS",
    "ConvexMedian",
    "FuzzyRegression",
    "GeometricMean",
    "Mean",
    "Median",
    "Medoid",
    "MembershipDraw",
    "MicroHybrid",
    "Mode",
    "MuralidharSarathy",
    "Noise",
    "OrderStatistic",
    "RankSwap",
    "RecordSwap",
    "Shuffle",
]

REPLACEMENTS: dict[str, type[Replacement]] = {
    kind.name: kind
    for kind in (
        Mean,
        Median,
        ConvexMedian,
        OrderStatistic,
        Mode,
        GeometricMean,
        Medoid,
        MembershipDraw,
        IPSO,
        MicroHybrid,
        MuralidharSarathy,
        FuzzyRegression,
        RankSwap,
        Noise,
        Shuffle,
        PRAM,
        RecordSwap,
    )
}
