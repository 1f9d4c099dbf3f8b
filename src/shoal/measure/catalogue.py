"""Every measure of two files, in the order in which they are shown.

A new measure is one file, and one line here, which makes its name public too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.deferred import Catalogue

if TYPE_CHECKING:
    from shoal.measure.measure import FileMeasure, MeasuredValue

__all__ = ["MEASURES"]

MEASURES: Catalogue[FileMeasure[MeasuredValue]] = Catalogue(
    "shoal.measure",
    {
        "sse": "utility.information_loss:sse",
        "information_loss": "utility.information_loss:information_loss",
        "mixed_information_loss": "utility.mixed_information_loss:mixed_information_loss",
        "il1s": "utility.il1s:il1s",
        "probabilistic_information_loss": "utility.probabilistic_information_loss:probabilistic_information_loss",
        "mean_variation": "utility.mean_variation:mean_variation",
        "mean_difference": "utility.differences:mean_difference",
        "variance_difference": "utility.differences:variance_difference",
        "covariance_difference": "utility.differences:covariance_difference",
        "correlation_difference": "utility.differences:correlation_difference",
        "quantile_difference": "utility.differences:quantile_difference",
        "subdomain_difference": "utility.subdomains:subdomain_difference",
        "third_moments": "utility.moments:third_moments",
        "fourth_moments": "utility.moments:fourth_moments",
        "propensity": "utility.propensity:propensity",
        "analytical_loss": "utility.analytical_loss:analytical_loss",
        "clustering_similarity": "utility.clustering:clustering_similarity",
        "frequency_difference": "utility.frequencies:frequency_difference",
        "categories_changed": "utility.frequencies:categories_changed",
        "k_anonymity": "risk.k_anonymity:k_anonymity",
        "unchanged": "risk.unchanged:unchanged",
        "interval_disclosure": "risk.interval_disclosure:interval_disclosure",
        "distance_linkage": "risk.distance_linkage:distance_linkage",
        "linkage_over_subsets": "risk.distance_linkage:linkage_over_subsets",
        "probabilistic_linkage": "risk.probabilistic_linkage:probabilistic_linkage",
        "transparency_attack": "risk.attacks.transparency_attack:transparency_attack",
        "attribute_attack": "risk.attacks.attribute_attack:attribute_attack",
        "score": "score:score",
    },
)
