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

    def broken(
        self,
        values: Mapping[str, NDArray[np.float64]],
        tolerance: float = 1e-9,
        sizes: Mapping[str, float] | None = None,
    ) -> NDArray[np.bool_]:
        """Return which records break the rule; a gap breaks none.

        Parameters
        ----------
        values
            The variables, by name.
        tolerance
            What counts as rounding, as a part of the size of the rule's terms.
        sizes
            How large the variables are. By default as large as the record has them.
        """
        terms = [factor * values[name] for name, factor in self.coefficients.items()]
        excess = np.sum(terms, axis=0) - self.constant
        large = terms if sizes is None else [factor * sizes[name] for name, factor in self.coefficients.items()]
        size = np.sum(np.abs(large), axis=0) + abs(self.constant)
        apart = np.abs(excess) if self.relation == "==" else excess
        return np.asarray(apart > tolerance * size, dtype=bool)

    def settle(self, values: Mapping[str, NDArray[np.float64]]) -> None:
        """Put a variable that stands alone in the rule exactly on its bound where rounding left it beside it."""
        if len(self.coefficients) == 1:
            ((name, factor),) = self.coefficients.items()
            bound = self.constant / factor
            if self.relation == "==":
                values[name][:] = bound
            elif factor > 0:
                np.minimum(values[name], bound, out=values[name])
            else:
                np.maximum(values[name], bound, out=values[name])
