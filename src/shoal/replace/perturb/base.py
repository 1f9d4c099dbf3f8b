"""What every replacement shares that exchanges or perturbs values record by record, without groups."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from shoal.describe import Kind
from shoal.replace.base import Replacement
from shoal.replace.family import PERTURBED, Family
from shoal.replace.synthetic.synthetic import Tally

__all__ = ["Part", "Perturbation", "Perturbed"]

Doubles = NDArray[np.float64]
Whole64 = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Part:
    """One stratum, or the whole file.

    Attributes
    ----------
    values
        The columns to change: numbers, or codes of categories; NaN where a value is missing.
    kinds
        The kinds of these.
    beside
        Every other column of the table, its values numbered as they come, -1 where one is missing.
    k
        The k of the release, for what counts records. None is promised.
    weights
        The sampling weights, if there are any.
    units
        The unit (household, firm) of every record, if there are units.
    """

    values: Mapping[str, Doubles]
    kinds: Mapping[str, Kind]
    beside: Mapping[str, Whole64]
    k: int
    weights: Doubles | None = None
    units: Whole64 | None = None

    def __len__(self) -> int:
        """Return the number of records."""
        return len(next(iter(self.values.values())))


@dataclass(frozen=True, eq=False)
class Perturbed:
    """The values that records get.

    Attributes
    ----------
    computed
        New numbers, by column.
    taken
        By column, the row of the part whose value each record gets; types and labels are kept.
    tallies
        What a reader of the release should know, with counts.
    """

    computed: Mapping[str, Doubles]
    taken: Mapping[str, Whole64]
    tallies: tuple[Tally, ...] = ()


class Perturbation(Replacement, ABC):
    """Base of the replacements that change values record by record; they promise no k.

    Missing values stay where they are.
    """

    family: ClassVar[Family] = PERTURBED
    supports_missing: ClassVar[bool] = True
    supports_units: ClassVar[bool] = False  # whether records of one unit (household, firm) are changed together
    keeps_rules: ClassVar[Literal["all", "averages", "records", "checked"]] = "checked"
    default_method: ClassVar[str] = "one-group"
    shown_as: ClassVar[str] = "perturbation"

    @abstractmethod
    def perturbed(self, part: Part, rng: np.random.Generator) -> Perturbed:
        """Return the new values of the columns of a part."""
