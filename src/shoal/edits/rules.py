"""The kinds of rule."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

__all__ = ["LinearRule"]


@dataclass(frozen=True)
class LinearRule:
    """A sum of multiples of variables that equals a constant, or does not exceed it.

    Attributes
    ----------
    text
        The rule as it was written.
    coefficients
        What each variable is multiplied by, none of them 0.
    relation
        "==" or "<=".
    constant
        What stands on the other side.

    Examples
    --------
    >>> from shoal.edits import parse_rule
    >>> rule = parse_rule("net + tax == gross")
    >>> rule.coefficients, rule.relation, rule.constant
    ({'net': 1.0, 'tax': 1.0, 'gross': -1.0}, '==', 0.0)
    """

    text: str
    coefficients: Mapping[str, float]
    relation: Literal["==", "<="]
    constant: float

    def broken(self, values: Mapping[str, NDArray[np.float64]], tolerance: float = 1e-9) -> NDArray[np.bool_]:
        """Return which records break the rule, by more than `tolerance` times the size of its terms; no gap does."""
        terms = [factor * values[name] for name, factor in self.coefficients.items()]
        excess = np.sum(terms, axis=0) - self.constant
        size = np.sum(np.abs(terms), axis=0) + abs(self.constant)
        apart = np.abs(excess) if self.relation == "==" else excess
        return np.asarray(apart > tolerance * size, dtype=bool)
