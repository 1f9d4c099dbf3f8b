"""Every measure of two files, in the order in which they are shown.

A new measure is one file and three lines here: its import, its name in `__all__`, and its place in `MEASURES`.
"""

from __future__ import annotations

from shoal.measure.measure import FileMeasure, MeasuredValue
from shoal.measure.risk.attacks.attribute_attack import attribute_attack
from shoal.measure.risk.attacks.transparency_attack import transparency_attack
from shoal.measure.risk.distance_linkage import distance_linkage, linkage_over_subsets
from shoal.measure.risk.interval_disclosure import interval_disclosure
from shoal.measure.risk.k_anonymity import k_anonymity
from shoal.measure.risk.probabilistic_linkage import probabilistic_linkage
from shoal.measure.risk.unchanged import unchanged
from shoal.measure.score import score
from shoal.measure.utility.analytical_loss import analytical_loss
from shoal.measure.utility.clustering import clustering_similarity
from shoal.measure.utility.differences import (
    correlation_difference,
    covariance_difference,
    mean_difference,
    quantile_difference,
    variance_difference,
)
from shoal.measure.utility.frequencies import categories_changed, frequency_difference
from shoal.measure.utility.il1s import il1s
from shoal.measure.utility.information_loss import information_loss, sse
from shoal.measure.utility.mean_variation import mean_variation
from shoal.measure.utility.mixed_information_loss import mixed_information_loss
from shoal.measure.utility.moments import fourth_moments, third_moments
from shoal.measure.utility.probabilistic_information_loss import probabilistic_information_loss
from shoal.measure.utility.propensity import propensity
from shoal.measure.utility.subdomains import subdomain_difference

__all__ = [
    "MEASURES",
    "analytical_loss",
    "attribute_attack",
    "categories_changed",
    "clustering_similarity",
    "correlation_difference",
    "covariance_difference",
    "distance_linkage",
    "fourth_moments",
    "frequency_difference",
    "il1s",
    "information_loss",
    "interval_disclosure",
    "k_anonymity",
    "linkage_over_subsets",
    "mean_difference",
    "mean_variation",
    "mixed_information_loss",
    "probabilistic_information_loss",
    "probabilistic_linkage",
    "propensity",
    "quantile_difference",
    "score",
    "sse",
    "subdomain_difference",
    "third_moments",
    "transparency_attack",
    "unchanged",
    "variance_difference",
]

MEASURES: dict[str, FileMeasure[MeasuredValue]] = {
    measure.about.name: measure
    for measure in (
        sse,
        information_loss,
        mixed_information_loss,
        il1s,
        probabilistic_information_loss,
        mean_variation,
        mean_difference,
        variance_difference,
        covariance_difference,
        correlation_difference,
        quantile_difference,
        subdomain_difference,
        third_moments,
        fourth_moments,
        propensity,
        analytical_loss,
        clustering_similarity,
        frequency_difference,
        categories_changed,
        k_anonymity,
        unchanged,
        interval_disclosure,
        distance_linkage,
        linkage_over_subsets,
        probabilistic_linkage,
        transparency_attack,
        attribute_attack,
        score,
    )
}
