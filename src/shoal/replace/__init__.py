"""The replace step: groups or memberships in, new values out."""

from shoal.replace.aggregate import Aggregate, GeometricMean, Mean, Median, Mode, OrderStatistic
from shoal.replace.base import Replacement
from shoal.replace.catalogue import REPLACEMENTS
from shoal.replace.medoid import Medoid
from shoal.replace.members import Members, TooFewObservedError
from shoal.replace.membership_draw import MembershipDraw
from shoal.replace.synthetic.base import SyntheticReplacement
from shoal.replace.synthetic.fuzzy_regression import FuzzyRegression
from shoal.replace.synthetic.hybrid import MicroHybrid
from shoal.replace.synthetic.ipso import IPSO
from shoal.replace.synthetic.muralidhar_sarathy import MuralidharSarathy

__all__ = [
    "IPSO",
    "REPLACEMENTS",
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
    "Replacement",
    "SyntheticReplacement",
    "TooFewObservedError",
]
