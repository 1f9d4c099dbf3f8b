"""Every method a plan can name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shoal.deferred import Catalogue
from shoal.errors import ParameterError

if TYPE_CHECKING:
    from shoal.partition.base import Partitioner
    from shoal.partition.estimator import Clusterer
    from shoal.partition.fuzzy.soft_method import SoftMethod

__all__ = ["METHODS", "PARTITIONERS", "spelled_estimator"]

_PARTITIONERS = {
    "mdav": ("mdav.mdav:MDAV", "Groups of k by maximum distance to average vector"),
    "vmdav": ("vmdav:VMDAV", "Groups of k and more by variable-size MDAV"),
    "md": ("md:MD", "Groups of k by maximum distance"),
    "cbfs": ("cbfs:CBFS", "Groups of k around the record farthest from the centroid, one at a time"),
    "tfrp": ("tfrp:TFRP", "Groups of k and more by two fixed reference points"),
    "k-means": ("k_means_micro:KMeansMicro", "Groups of k to 2k-1 by splitting in two, again and again, with 2-means"),
    "mu-approx": (
        "mu_approx:MuApprox",
        "Groups of k to 2k-1 from a forest in which every record is tied to a near one",
    ),
    "mst": ("mst:MST", "Groups of k to 2k-1 by cutting the minimum spanning tree"),
    "mhm": ("mhm:MHM", "Groups of k to 2k-1 that cut a path through all records in the best way"),
    "hac": (
        "hac:HAC",
        "Groups of at least k by merging the two closest clusters as long as the union is not too large",
    ),
    "optimal-univariate": (
        "optimal_univariate:OptimalUnivariate",
        "Groups of k to 2k-1 with the least possible sum of squared errors, for one variable",
    ),
    "at-least-k": (
        "fuzzy.at_least_k:AtLeastK",
        "Groups of k to 2k-1 from fuzzy clusters with at least k records, split again while they are large",
    ),
    "refine": (
        "refine.refine:Refine",
        "Groups of k to 2k-1 with a small sum of squared errors, by local search from another partition",
    ),
}

PARTITIONERS: Catalogue[type[Partitioner]] = Catalogue("shoal.partition", _PARTITIONERS)
METHODS: Catalogue[type[Partitioner] | type[SoftMethod]] = Catalogue(
    "shoal.partition",
    {
        **_PARTITIONERS,
        "fuzzy": ("fuzzy.cmeans:FuzzyMethod", "Fuzzy c-means with the exponent m"),
        "entropy": ("fuzzy.entropy:EntropyMethod", "Fuzzy c-means with an entropy term and its parameter lam"),
        "one-group": (
            "one_group:OneGroup",
            "All records in one group, for synthetic and perturbed data of a whole file",
        ),
    },
)


def spelled_estimator(estimator: Clusterer) -> dict[str, Any]:
    """Write a fuzzy estimator as a plan holds it: the name of the method it belongs to, and its parameters."""
    method = next((kind for kind in METHODS.values() if isinstance(estimator, getattr(kind, "estimator", ()))), None)
    if method is None:
        raise ParameterError(f"{type(estimator).__name__} is no method of protect. Known: {', '.join(METHODS)}.")
    parameters = estimator.get_params(deep=False)
    for rules in ("constraints", "inequalities", "bounds"):
        if parameters[rules] is not None:
            raise ParameterError(
                f"In protect, {rules} go by names of columns: give rules in edits, not in the estimator."
            )
    return {"name": method.name} | {key: value for key, value in parameters.items() if key in method.limits}
