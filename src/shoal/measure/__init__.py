"""Measure: the information loss (utility) and the disclosure risk of a masked file.

Measures of an original and a masked file share four parameters. `original` and `masked` are frames, arrays or paths,
with the same records in the same order; `columns` are those to compare, by default all that both files have; `kinds`
says which columns of numbers are codes, as in ``{"industry": "nominal"}``.
"""

from shoal.measure import catalogue
from shoal.measure.catalogue import *  # noqa: F403  # a new measure is named in the catalogue, and nowhere else
from shoal.measure.evaluation import Evaluation, evaluate
from shoal.measure.evaluation_schema import evaluation_schema
from shoal.measure.measure import About, FileMeasure, Measure, MeasuredValue
from shoal.measure.partitions import (
    adjusted_rand_index,
    alpha_cut_distance,
    centre_distance,
    fuzzy_rand_index,
    jaccard_index,
    rand_index,
)
from shoal.measure.publication import Publication
from shoal.measure.risk.keys.frequencies import KeyFrequencies, key_frequencies
from shoal.measure.risk.keys.individual_risk import household_risk, individual_risk
from shoal.measure.risk.keys.k_map import KMap, k_map
from shoal.measure.risk.keys.l_diversity import l_diversity
from shoal.measure.risk.keys.overview import KeyRisk, key_risk
from shoal.measure.risk.keys.riskiest import RiskyRecord, riskiest
from shoal.measure.risk.keys.suda import Suda, suda
from shoal.measure.risk.keys.t_closeness import t_closeness

__all__ = [
    "About",
    "Evaluation",
    "FileMeasure",
    "KMap",
    "KeyFrequencies",
    "KeyRisk",
    "Measure",
    "MeasuredValue",
    "Publication",
    "RiskyRecord",
    "Suda",
    "adjusted_rand_index",
    "alpha_cut_distance",
    "centre_distance",
    "evaluate",
    "evaluation_schema",
    "fuzzy_rand_index",
    "household_risk",
    "individual_risk",
    "jaccard_index",
    "k_map",
    "key_frequencies",
    "key_risk",
    "l_diversity",
    "rand_index",
    "riskiest",
    "suda",
    "t_closeness",
]
__all__ += catalogue.__all__
