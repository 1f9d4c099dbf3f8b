"""The replace step: groups or memberships in, new values out."""

from shoal.replace.aggregate import Aggregate, GeometricMean, Mean, Median, Mode, OrderStatistic
from shoal.replace.members import Members, TooFewObservedError
from shoal.replace.membership_draw import MembershipDraw

__all__ = [
    "REPLACEMENTS",
    "Aggregate",
    "GeometricMean",
    "Mean",
    "Median",
    "Members",
    "MembershipDraw",
    "Mode",
    "OrderStatistic",
    "TooFewObservedError",
]

REPLACEMENTS: dict[str, type[Aggregate] | type[MembershipDraw]] = {
    kind.name: kind for kind in (Mean, Median, OrderStatistic, Mode, GeometricMean, MembershipDraw)
}
"""What a plan may name as a replacement."""
