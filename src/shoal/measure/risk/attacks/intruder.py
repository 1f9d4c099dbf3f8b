"""An intruder who knows the masking: the groups seen in the masked file, and the records left for each target."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from shoal.describe.combinations import same_combinations
from shoal.errors import ParameterError
from shoal.measure.pairs import Pair
from shoal.measure.risk.attacks.candidate_groups import (
    CandidateRule,
    KnownBlock,
    groups_by_value,
    repeated_groups,
    same_groups,
)
from shoal.measure.risk.attacks.known_variables import UsableVariables
from shoal.measure.risk.attacks.remaining_records import RemainingRecords, remaining_records
from shoal.measure.risk.attacks.rules_by_method import BlockRule

if TYPE_CHECKING:
    from shoal.partition import Partitioner

__all__ = ["Intruder"]


class Intruder:
    """An intruder who looks for targets in one stratum of the masked file.

    Parameters
    ----------
    files
        The two files.
    variables
        The variables that can be used.
    records
        Which records are in the stratum.
    rule
        The rule for the candidate groups of a block.
    repeated
        The method by which blocks that are wholly known are grouped again; None for an intruder who does not.
    nearest
        Up to which rank groups are candidates; None for as few as leave a record.
    standardize
        Whether distances are computed on standard scores.
    """

    def __init__(
        self,
        files: Pair,
        variables: UsableVariables,
        records: NDArray[np.bool_],
        rule: BlockRule,
        *,
        repeated: Partitioner | None,
        nearest: int | None,
        standardize: bool,
    ) -> None:
        self._files = files
        self._variables = variables
        self._records = records
        self._rule = rule
        self._repeated = repeated
        self._nearest = nearest
        self._standardize = standardize
        self._seen: dict[tuple[str, ...], list[tuple[KnownBlock, CandidateRule]]] = {}

    def found(self, known: Sequence[str], rows: NDArray[np.int64]) -> RemainingRecords:
        """Return what is left for the targets in these rows for an intruder who knows these columns of them."""
        targets = np.searchsorted(np.flatnonzero(self._records), rows)
        by_block = [tuple(name for name in usable if name in set(known)) for usable in self._variables.usable]
        if self._repeated is not None and not any(self._is_whole(*block) for block in enumerate(by_block)):
            raise ParameterError("level=2 needs a block of which every column is known.")
        seen = [one for block in enumerate(by_block) if block[1] for one in self._see(*block)]
        unchanged = [name for name in self._variables.unchanged if name in set(known)]
        if unchanged:
            seen.append(self._see_unchanged(unchanged))
        blocks, rules = zip(*seen, strict=True)
        return remaining_records(blocks, rules, targets, nearest=self._nearest)

    def _is_whole(self, number: int, known: tuple[str, ...]) -> bool:
        """Whether enough of a block is known to mask it again."""
        is_numeric = set(self._variables.blocks[number]) <= set(self._files.numeric_names)
        return is_numeric and bool(known) and known == self._variables.usable[number]

    def _see(self, number: int, known: tuple[str, ...]) -> list[tuple[KnownBlock, CandidateRule]]:
        """Return the groups of a block and the rule for its candidates, which are computed once."""
        if known not in self._seen:
            own = self._files.only(known)
            before, after = (
                np.column_stack([numbers, np.where(codes < 0, np.nan, codes)])
                for numbers, codes in zip(own.numbers, own.categories, strict=True)
            )
            categories = len(own.category_names)
            block = groups_by_value(before, after, self._records, standardize=self._standardize, categories=categories)
            self._seen[known] = self._rules_of(number, known, block)
        return self._seen[known]

    def _see_unchanged(self, names: Sequence[str]) -> tuple[KnownBlock, CandidateRule]:
        """Return the groups of records that are alike in columns that were released as they are, and their rule."""
        alike = same_combinations(self._files.masked, names)[self._records]
        groups = np.unique(alike, return_inverse=True)[1].reshape(-1)
        sizes = np.bincount(groups)
        block = KnownBlock(np.empty((len(groups), 0)), groups, np.empty((len(sizes), 0)), sizes, ())
        return block, same_groups(block)

    def _rules_of(
        self, number: int, known: tuple[str, ...], block: KnownBlock
    ) -> list[tuple[KnownBlock, CandidateRule]]:
        if self._repeated is not None and self._is_whole(number, known):
            return [
                (block, repeated_groups(block, np.asarray(self._repeated.fit(block.scaled(block.original)).labels_)))
            ]
        return self._rule(block, len(self._variables.blocks[number]) == 1)
