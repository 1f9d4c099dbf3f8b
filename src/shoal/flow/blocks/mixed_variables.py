"""Numbers and categories of one block, those that are rewritten and those that stay, and the categories dealt anew."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from shoal.errors import DataError, DisclosureWarning, warn
from shoal.replace.synthetic.categories import cells_of, dealt
from shoal.replace.synthetic.indicators import indicators, pooled
from shoal.replace.synthetic.leverage import alone_in_all
from shoal.replace.synthetic.synthetic import Tally

if TYPE_CHECKING:
    from shoal.flow.plan import Plan

__all__ = ["SplitVariables", "refuse_kept_categories", "rows_with", "split_variables"]

Doubles = NDArray[np.float64]
Labels = NDArray[np.int64]

_MOST_INDICATORS = 1000  # of a variable
_NEARLY_ALL = 0.9  # of what chance alone would change: where more stays, categories are nearly released


@dataclass(frozen=True, eq=False)
class SplitVariables:
    """The variables of a block, in one stratum or in all.

    Attributes
    ----------
    X
        The numbers that are rewritten, in the order of `confidential`.
    Y
        What stays: numbers, and an indicator of every category but one; rare ones are taken together.
    rewritten, kept
        The categories that are rewritten and those that stay, numbered, by column.
    k
        The fewest records of a category with an indicator of its own, and of a cell that categories are dealt in.
    """

    X: Doubles
    Y: Doubles
    rewritten: Mapping[str, Labels]
    kept: Mapping[str, Labels]
    k: int

    @property
    def rare(self) -> Tally:
        """How many kept categories are too rare for an indicator of their own, as a note."""
        sizes = np.concatenate([np.zeros(0, dtype=np.int64), *(np.bincount(codes) for codes in self.kept.values())])
        there = sizes[sizes > 0]
        return Tally(
            f"Kept categories of fewer than k={self.k} records: {{count}} of {{of}}. In the regression those of a "
            "variable count as one, and means by them are not exact.",
            int((there < self.k).sum()),
            len(there),
        )

    def new_categories(self, new: Doubles, groups: Labels, rng: np.random.Generator) -> dict[str, Labels]:
        """Return the categories dealt anew inside groups.

        The chances of the first variable are by what stays and the new numbers, those of every other by the new
        categories of the ones before it as well.

        Parameters
        ----------
        new
            What became of X.
        groups
            The group of every record.
        rng
            Where the draws come from.
        """
        if not self.rewritten:
            return {}
        cells = cells_of(groups, [*self.kept.values()], self.k)
        alone = alone_in_all(self.Y)  # a model would follow them, and deal them what they had
        Y = np.where(alone[:, None], self.Y[~alone].mean(axis=0), self.Y)
        before, after = np.hstack([Y, self.X]), np.hstack([Y, new])
        found = {}
        for name, codes in self.rewritten.items():
            found[name] = dealt(codes, cells, before, after, rng)
            before = np.hstack([before, _indicators(name, codes, self.k)])
            after = np.hstack([after, _indicators(name, found[name], self.k)])
        return found


def split_variables(plan: Plan, values: Mapping[str, Doubles]) -> SplitVariables:
    """Split the variables of a block, or of one stratum of it."""
    numbers = {name: values[name] for name in values if plan.kinds[name] == "continuous"}
    categories = {name: values[name].astype(np.int64) for name in values if name not in numbers}
    kept = {name: codes for name, codes in categories.items() if name not in plan.confidential}
    nothing = np.empty((len(next(iter(values.values()))), 0))
    X = np.column_stack([nothing, *(numbers[name] for name in plan.confidential if name in numbers)])
    others = [
        numbers[name] if name in numbers else _indicators(name, kept[name], plan.k)
        for name in values
        if name not in plan.confidential
    ]
    rewritten = {name: categories[name] for name in plan.confidential if name in categories}
    return SplitVariables(X, np.column_stack([nothing, *others]), rewritten, kept, plan.k)


def _indicators(name: str, codes: Labels, k: int) -> Doubles:
    """Return the indicators of a variable, of categories that fewer than k records have one together."""
    numbered = pooled(codes, k)
    if numbered.max() >= _MOST_INDICATORS:
        raise DataError(
            f'"{name}" has {int(numbered.max()) + 1} categories of at least k={k} records, too many to enter a '
            "regression. Make them coarser, or drop it (role identifier)."
        )
    return indicators(numbered)


def rows_with(codes: Labels, wanted: Labels) -> Labels:
    """Return, for every record, a record that has the wanted category."""
    own, first = np.unique(codes, return_index=True)
    return np.asarray(first[np.searchsorted(own, wanted)], dtype=np.int64)


def refuse_kept_categories(
    variables: SplitVariables, new: Mapping[str, Labels], inside: str, accepted: bool
) -> list[str]:
    """Raise DataError if all categories of a variable stay, unless accepted; return notes on how many do."""
    notes = []
    stays, chances = np.ones(len(variables.X), dtype=bool), np.ones(len(variables.X))
    for name, codes in variables.rewritten.items():
        same, by_chance = codes == new[name], (np.bincount(codes) / len(codes))[codes]
        if same.all() and not accepted:
            raise DataError(
                f'"{name}" comes out as it was: the categories that stay determine it{inside}, or nearly. Take one of '
                "those out of the columns, raise k, or drop it (role identifier)."
            )
        if same.all():
            warn(f'"{name}" is released as it is, which was accepted.', DisclosureWarning)
        elif same.mean() - by_chance.mean() > _NEARLY_ALL * (1 - by_chance.mean()):
            warn(
                f'{same.mean():.1%} of the records keep their category of "{name}"; by chance {by_chance.mean():.1%} '
                "would. Raise k, or take out of the columns what it follows from.",
                DisclosureWarning,
            )
        notes.append(_how_many(same, by_chance, f'their category of "{name}"'))
        stays, chances = stays & same, chances * by_chance
    if len(notes) > 1 and not variables.X.shape[1]:
        notes.append(_how_many(stays, chances, "all their categories"))
    return [*notes, *_on_tables(variables, new)]


def _how_many(same: NDArray[np.bool_], by_chance: Doubles, what: str) -> str:
    return f"{int(same.sum())} of {len(same)} records keep {what}; about {by_chance.sum():.0f} would by chance."


def _on_tables(variables: SplitVariables, new: Mapping[str, Labels]) -> list[str]:
    """Say with which kept categories the tables of all rewritten ones are exact."""
    if not new:
        return []
    words: dict[str, list[str]] = {"exact": [], "kept in expectation": []}
    for name, codes in variables.kept.items():
        pairs = [(_table(codes, old), _table(codes, new[one])) for one, old in variables.rewritten.items()]
        is_exact = all(np.array_equal(before, after) for before, after in pairs)
        words["exact" if is_exact else "kept in expectation"].append(f'"{name}"')
    return [
        f"Tables of rewritten categories with {', '.join(names)} are {word}." for word, names in words.items() if names
    ]


def _table(rows: Labels, columns: Labels) -> Labels:
    """Count every pair of codes."""
    width = int(columns.max()) + 1
    return np.bincount(rows * width + columns, minlength=(int(rows.max()) + 1) * width)
