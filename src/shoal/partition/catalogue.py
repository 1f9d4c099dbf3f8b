"""Every method a plan can name."""

from __future__ import annotations

from typing import Any

from shoal.errors import ParameterError
from shoal.partition.algorithms import ALGORITHMS
from shoal.partition.base import Partitioner
from shoal.partition.fuzzy.base import ConstrainedClusterer
from shoal.partition.fuzzy.cmeans import FuzzyMethod
from shoal.partition.fuzzy.entropy import EntropyMethod
from shoal.partition.fuzzy.soft_method import SoftMethod
from shoal.partition.one_group import OneGroup
from shoal.partition.refine.refine import Refine

__all__ = ["METHODS", "PARTITIONERS", "spelled_estimator"]

_PARTITIONERS: tuple[type[Partitioner], ...] = (*ALGORITHMS, Refine)
_SOFT_METHODS: tuple[type[SoftMethod], ...] = (FuzzyMethod, EntropyMethod)

PARTITIONERS: dict[str, type[Partitioner]] = {kind.name: kind for kind in _PARTITIONERS}
METHODS: dict[str, type[Partitioner] | type[SoftMethod]] = {
    **PARTITIONERS,
    **{kind.name: kind for kind in _SOFT_METHODS},
    OneGroup.name: OneGroup,
}


def spelled_estimator(estimator: ConstrainedClusterer) -> dict[str, Any]:
    """Write a fuzzy estimator as a plan holds it: the name of the method it belongs to, and its parameters."""
    method = next((kind for kind in _SOFT_METHODS if isinstance(estimator, kind.estimator)), None)
    if method is None:
        raise ParameterError(f"{type(estimator).__name__} is no method of protect. Known: {', '.join(METHODS)}.")
    parameters = estimator.get_params(deep=False)
    for rules in ("constraints", "inequalities", "bounds"):
        if parameters[rules] is not None:
            raise ParameterError(
                f"In protect, {rules} go by names of columns: give rules in edits, not in the estimator."
            )
    return {"name": method.name} | {key: value for key, value in parameters.items() if key in method.limits}
