"""The replace step: groups or memberships in, new values out."""

from shoal.replace import catalogue
from shoal.replace.aggregate import Aggregate
from shoal.replace.base import Replacement
from shoal.replace.catalogue import *  # noqa: F403  # every replacement there is
from shoal.replace.members import Members, TooFewObservedError
from shoal.replace.perturb.base import Perturbation
from shoal.replace.synthetic.base import SyntheticReplacement

__all__ = [
    "Aggregate",
    "Members",
    "Perturbation",
    "Replacement",
    "SyntheticReplacement",
    "TooFewObservedError",
]
__all__ += catalogue.__all__
