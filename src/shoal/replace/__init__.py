"""The replace step: groups or memberships in, new values out."""

from shoal.replace.aggregate import Aggregate, GeometricMean, Mean, Median, Mode, OrderStatistic
from shoal.replace.members import Members, TooFewObservedError

__all__ = [
    "REPLACEMENTS",
    "Aggregate",
    "GeometricMean",
    "Mean",
    "Median",
    "Members",
    "Mode",
    "OrderStatistic",
    "TooFewObservedError",
]

REPLACEMENTS: dict[str, type[Aggregate]] = {
    aggregate.name: aggregate for aggregate in (Mean, Median, OrderStatistic, Mode, GeometricMean)
}
"""What a plan may name as a replacement."""
