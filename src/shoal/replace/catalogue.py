"""Every replacement a plan may name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.deferred import Catalogue

if TYPE_CHECKING:
    from shoal.replace.base import Replacement

__all__ = ["REPLACEMENTS"]

REPLACEMENTS: Catalogue[type[Replacement]] = Catalogue(
    "shoal.replace",
    {
        "mean": ("aggregate:Mean", "The arithmetic mean"),
        "median": (
            "aggregate:Median",
            "The median; of an even number of values the lower of the middle two, so that it exists in the data",
        ),
        "convex-median": (
            "aggregate:ConvexMedian",
            "The median of a scale of categories, each counted as often as a more frequent one on either side of it",
        ),
        "order-statistic": (
            "aggregate:OrderStatistic",
            "The smallest value at or below which at least the share q of the records lies",
        ),
        "mode": (
            "aggregate:Mode",
            "The most frequent value, or the one with the largest total weight; among equals, one drawn at random",
        ),
        "geometric-mean": (
            "aggregate:GeometricMean",
            "The geometric mean, for values that multiply; all of them have to be positive",
        ),
        "medoid": (
            "medoid:Medoid",
            "The record nearest to all others of its group, released as it is in place of each",
        ),
        "membership-draw": (
            "membership_draw:MembershipDraw",
            "Every record gets one of the centres, drawn with its memberships as probabilities",
        ),
        "ipso": (
            "synthetic.ipso:IPSO",
            "Information-preserving statistical obfuscation: fitted values, and residuals drawn anew",
        ),
        "hybrid": (
            "synthetic.hybrid:MicroHybrid",
            "Every group of a partition gets a synthetic version of its own, with the same means and covariances",
        ),
        "muralidhar-sarathy": (
            "synthetic.muralidhar_sarathy:MuralidharSarathy",
            "A share of the original residuals stays, and noise restores the covariances",
        ),
        "fuzzy-regression": (
            "synthetic.fuzzy_regression:FuzzyRegression",
            "Every record gets the fitted values of one of c regressions on the other variables",
        ),
        "rank-swap": (
            "perturb.rank_swap:RankSwap",
            "Every value is exchanged with one that is at most p % of the ranks away",
        ),
        "noise": (
            "perturb.noise:Noise",
            "Normal noise is added to every value, with alpha times the covariance of the data",
        ),
        "shuffle": (
            "perturb.shuffle:Shuffle",
            "Values are put into the order of drawn ones, which go together as the ranks did",
        ),
        "pram": (
            "perturb.pram:PRAM",
            "Every category is drawn anew by chances that keep the frequencies in expectation",
        ),
        "record-swap": (
            "perturb.record_swap:RecordSwap",
            "Households or records at risk exchange their places with similar ones elsewhere",
        ),
    },
)
