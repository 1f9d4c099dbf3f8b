"""Measure: what the protection cost (utility) and what it buys (risk)."""

from shoal.measure.catalogue import MEASURES
from shoal.measure.evaluation import Evaluation, evaluate, evaluation_schema
from shoal.measure.measure import About, Figure, FileMeasure, Measure
from shoal.measure.partitions import alpha_cut_distance, fuzzy_rand_index, jaccard_index, rand_index
from shoal.measure.risk.distance_linkage import distance_linkage, linkage_over_subsets
from shoal.measure.risk.interval_disclosure import interval_disclosure
from shoal.measure.risk.k_anonymity import k_anonymity
from shoal.measure.risk.probabilistic_linkage import probabilistic_linkage
from shoal.measure.risk.transparency_attack import transparency_attack
from shoal.measure.risk.unchanged import unchanged
from shoal.measure.score import score
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
from shoal.measure.utility.moments import fourth_moments, third_moments
from shoal.measure.utility.probabilistic_information_loss import probabilistic_information_loss
from shoal.measure.utility.propensity import propensity

__all__ = [
    "MEASURES",
    "About",
    "Evaluation",
    "Figure",
    "FileMeasure",
    "Measure",
    "alpha_cut_distance",
    "categories_changed",
    "clustering_similarity",
    "correlation_difference",
    "covariance_difference",
    "distance_linkage",
    "evaluate",
    "evaluation_schema",
    "fourth_moments",
    "frequency_difference",
    "fuzzy_rand_index",
    "il1s",
    "information_loss",
    "interval_disclosure",
    "jaccard_index",
    "k_anonymity",
    "linkage_over_subsets",
    "mean_difference",
    "mean_variation",
    "probabilistic_information_loss",
    "probabilistic_linkage",
    "propensity",
    "quantile_difference",
    "rand_index",
    "score",
    "sse",
    "third_moments",
    "transparency_attack",
    "unchanged",
    "variance_difference",
]
