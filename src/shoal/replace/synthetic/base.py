"""What every replacement that rewrites the confidential variables shares."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from shoal.replace.base import Replacement
from shoal.replace.family import SYNTHETIC, Family
from shoal.replace.synthetic.synthetic import Synthetic

__all__ = ["SyntheticReplacement"]

# Not in the papers; measured in the guide.
_EASIER_TO_LINK = "Records of hybrid data are easier to link than those of plain microaggregation with the same groups."


class SyntheticReplacement(Replacement, ABC):
    """Base of the replacements that rewrite the confidential variables and leave the others as they are."""

    kinds: ClassVar[frozenset[str]] = frozenset({"continuous", "ordinal", "nominal"})
    scope: ClassVar[Literal["column", "block", "file"]] = "file"
    family: ClassVar[Family] = SYNTHETIC
    supports_weights: ClassVar[bool] = False
    supports_missing: ClassVar[bool] = False
    keeps_rules: ClassVar[Literal["all", "averages", "records"]] = "records"
    redraws: ClassVar[bool] = True  # whether values can be drawn again where they break a rule
    leaves_range: ClassVar[bool] = True
    default_method: ClassVar[str] = "one-group"
    shown_as: ClassVar[str] = "synthetic"

    confidential: Sequence[str]

    @abstractmethod
    def synthetic(
        self,
        X: NDArray[np.float64],
        Y: NDArray[np.float64],
        groups: NDArray[np.int64],
        rng: np.random.Generator,
        *,
        k: int = 3,
    ) -> Synthetic:
        """Rewrite the confidential variables X group by group; the others, Y, stay.

        Records that stand alone in Y are rewritten without regard to it, at least k together.
        """

    def for_variables(self, is_rewritten: NDArray[np.bool_]) -> Self:
        """Return the same for some of the confidential variables, those of one block."""
        return self

    @property
    def keeps_sums(self) -> bool:
        """Whether new values keep sums among them, and with the others, that hold in the original."""
        return True

    @property
    def keeps_old_relation(self) -> bool:
        """Whether how new and old values go together is exact, and is to stay so where values are drawn again."""
        return bool(getattr(self, "orthogonal", False))

    @property
    def accepts_unchanged(self) -> bool:
        """Whether records may come out unchanged, because the user accepted that."""
        return bool(getattr(self, "accept_unchanged", False))

    def remarks(self, *, in_groups: bool, is_rewritten: NDArray[np.bool_]) -> list[str]:
        """Return what a reader of the release should know of the replacement itself.

        Parameters
        ----------
        in_groups
            Whether records were grouped first.
        is_rewritten
            Which of the confidential variables are in the block.
        """
        return [_EASIER_TO_LINK] if in_groups else []
