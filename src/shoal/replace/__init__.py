"""The replace step: groups or memberships in, new values out."""

from typing import Any

from shoal.replace.aggregate import Aggregate, GeometricMean, Mean, Median, Mode, OrderStatistic
from shoal.replace.medoid import Medoid
from shoal.replace.members import Members, TooFewObservedError
from shoal.replace.membership_draw import MembershipDraw
from shoal.replace.synthetic.fuzzy_regression import FuzzyRegression
from shoal.replace.synthetic.hybrid import MicroHybrid
from shoal.replace.synthetic.ipso import IPSO
from shoal.replace.synthetic.muralidhar_sarathy import MuralidharSarathy

__all__ = [
    "IPSO",
    "REPLACEMENTS",
    "SYNTHETIC",
    "Aggregate",
    "FuzzyRegression",
    "GeometricMean",
    "Mean",
    "Median",
    "Medoid",
    "Members",
    "MembershipDraw",
    "MicroHybrid",
    "Mode",
    "MuralidharSarathy",
    "OrderStatistic",
    "SyntheticReplacement",
    "TooFewObservedError",
]

REPLACEMENTS: dict[str, type[Any]] = {
    kind.name: kind for kind in (Mean, Median, OrderStatistic, Mode, GeometricMean, Medoid, MembershipDraw)
}
SyntheticReplacement = IPSO | MicroHybrid | MuralidharSarathy | FuzzyRegression
SYNTHETIC: dict[str, type[SyntheticReplacement]] = {
    kind.name: kind for kind in (IPSO, MicroHybrid, MuralidharSarathy, FuzzyRegression)
}
REPLACEMENTS |= SYNTHETIC
"""What a plan may name as a replacement."""
