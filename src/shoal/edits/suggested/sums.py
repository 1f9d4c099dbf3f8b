"""Sums, ratios and equal columns: linear relations with simple factors that every record satisfies."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from shoal.edits.expressions import Arithmetic, NumberLiteral, Term, TermComparison, VariableName
from shoal.edits.rules import Rule
from shoal.edits.suggested.null_vectors import IndependentVectors, sparse_null_vectors
from shoal.edits.suggested.number_columns import Booleans, Doubles, NumberColumns, spread_out
from shoal.edits.suggested.simple_numbers import simple_factors, simple_number
from shoal.edits.suggested.suggestion import FEWEST, SuggestedRule, SuggestionKind, suggestion_of

__all__ = ["LinearRelation", "linear_relations"]

_MORE_RECORDS = 10  # than columns, at least, so that chance makes no relation
_SAMPLED, _SAMPLED_BY_COLUMN = 200, 4  # records that relations are computed from
_ROUNDS, _ADDED = 5, 25  # records that break a relation are added to these, and it is computed again
_MOST_BALANCED = 4  # columns of a relation without a total: with more on both sides, nobody meant it
_MOST_SETS = 12  # of columns that are observed together


@dataclass(frozen=True, eq=False)
class LinearRelation:
    """Factors by column whose sum is the same number in every record."""

    factors: dict[str, float]
    total: float

    @property
    def rule(self) -> Rule:
        """The relation as a rule, without a minus sign if it can be: what is alone stands on the left."""
        sign = -1.0 if self._is_turned else 1.0
        left = [(name, sign * one) for name, one in self.factors.items() if sign * one > 0]
        right = [(name, -sign * one) for name, one in self.factors.items() if sign * one < 0]
        return Rule(TermComparison("==", _sum_of(left, 0.0), _sum_of(right, sign * self.total)))

    @property
    def _is_turned(self) -> bool:
        """Whether the columns with negative factors stand on the left."""
        positive = [one for one in self.factors.values() if one > 0]
        negative = [-one for one in self.factors.values() if one < 0]
        if not negative or not positive:
            return not positive
        alone = (len(negative) == 1, negative == [1.0], self.total < 0)
        return alone > (len(positive) == 1, positive == [1.0], self.total > 0)

    @property
    def is_plain(self) -> bool:
        """Whether it has a total, a column or a number that stands alone, or few columns."""
        negative = sum(one < 0 for one in self.factors.values())
        return min(negative, len(self.factors) - negative) <= 1 or len(self.factors) <= _MOST_BALANCED

    @property
    def kind(self) -> SuggestionKind:
        """What it is."""
        if len(self.factors) > 2 or self.total:
            return "sum"
        return "equal" if set(self.factors.values()) == {1.0, -1.0} else "ratio"

    def parts_below(self, least: dict[str, float]) -> list[tuple[str, str]]:
        """Return the columns that cannot exceed another by the relation, as pairs, if columns are not negative."""
        rule_signs = {name: one * (-1.0 if self._is_turned else 1.0) for name, one in self.factors.items()}
        left = [name for name, one in rule_signs.items() if one > 0]
        parts = [name for name, one in rule_signs.items() if one < 0]
        total = self.total * (-1.0 if self._is_turned else 1.0)
        if len(left) != 1 or total < 0 or any(least[name] < 0 for name in parts):
            return []
        return [(name, left[0]) for name in parts if -rule_signs[name] >= rule_signs[left[0]]]


def linear_relations(columns: NumberColumns) -> Iterator[tuple[LinearRelation, SuggestedRule]]:
    """Yield independent linear relations with simple factors that hold in every record, those of few columns first."""
    names = columns.names
    known = IndependentVectors()
    found: list[tuple[LinearRelation, SuggestedRule]] = []
    for chosen, complete in _observed_together(columns):
        for relation, suggestion in _relations_of(chosen, complete, columns):
            vector = np.array([relation.factors.get(name, 0.0) for name in names])
            if known.add(vector):
                found.append((relation, suggestion))
    yield from sorted(found, key=lambda one: len(one[0].factors))


def _observed_together(columns: NumberColumns) -> Iterator[tuple[list[str], Booleans]]:
    """Yield sets of columns, with the records that have all of them, so that every column is in one.

    Each begins with a column that was not compared with all others, and takes in the others, those with most common
    records first, as long as there are enough records.
    """
    names = columns.names
    observed = {name: ~np.isnan(column) for name, column in columns.values.items()}
    together: dict[str, set[str]] = {name: {name} for name in names}
    sets = 0
    for start in names:
        if len(together[start]) == len(names) or sets == _MOST_SETS:
            continue
        complete, chosen = observed[start], [start]
        common = {name: int((complete & observed[name]).sum()) for name in names}
        for name in sorted(names, key=lambda name: -common[name]):
            both = complete & observed[name]
            if name != start and int(both.sum()) >= max(FEWEST, len(chosen) + 1 + _MORE_RECORDS):
                complete, chosen = both, [*chosen, name]
        for name in chosen:
            together[name].update(chosen)
        if len(chosen) > 1:
            sets += 1
            yield sorted(chosen, key=names.index), complete


def _relations_of(
    chosen: list[str], complete: Booleans, columns: NumberColumns
) -> Iterator[tuple[LinearRelation, SuggestedRule]]:
    """Yield the relations between complete columns.

    They are computed from a sample. The records that break one are added to the sample, until none does.
    """
    rows = np.flatnonzero(complete)
    rows = rows[spread_out(len(rows), _SAMPLED + _SAMPLED_BY_COLUMN * len(chosen))]
    holding: list[LinearRelation] = []
    for _ in range(_ROUNDS):
        sample = np.array([columns.values[name][rows] for name in chosen])
        written = [_as_written(factors, sample, chosen) for factors in sparse_null_vectors(sample)]
        holding, breaking = [], []
        for relation in written:
            if relation is None or not relation.is_plain:
                continue
            broken = np.flatnonzero(relation.rule.broken(columns.records) & complete)
            if len(broken):
                breaking.append(broken[spread_out(len(broken), _ADDED)])
            else:
                holding.append(relation)
        if not breaking:
            break
        rows = np.unique(np.concatenate([rows, *breaking]))
    for relation in holding:
        suggestion = _suggestion(relation, columns)
        if suggestion is not None:
            yield relation, suggestion


def _as_written(factors: Doubles, sample: Doubles, names: list[str]) -> LinearRelation | None:
    """Return a relation with simple factors; None if it has none."""
    simple = simple_factors(factors)
    if simple is None:
        return None
    terms = simple[:, None] * sample
    totals = terms.sum(axis=0)
    total = float(np.median(totals))
    if abs(total) <= 1e-9 * float(np.abs(terms).sum(axis=0).max()):
        total = 0.0
    elif (rounded := simple_number(total)) is not None:
        total = rounded
    else:
        return None
    used = np.flatnonzero(simple)
    return LinearRelation({names[place]: float(simple[place]) for place in used}, total)


def _suggestion(relation: LinearRelation, columns: NumberColumns) -> SuggestedRule | None:
    """Return the suggestion; None if a record breaks the relation, or too few say anything about it."""
    complete = np.logical_and.reduce([~np.isnan(columns.values[name]) for name in relation.factors])
    different = sorted(_unlike_most(columns.values[name][complete]) for name in relation.factors)
    if different[-2] < FEWEST:  # two columns at least vary in so many records
        return None
    return suggestion_of(relation.rule.expression, relation.kind, columns.records)


def _unlike_most(values: Doubles) -> int:
    """Return how many values are not the most frequent one."""
    return len(values) - int(np.unique(values, return_counts=True)[1].max(initial=0))


def _sum_of(terms: list[tuple[str, float]], constant: float) -> Term:
    """Return a sum of columns, each times its factor, and a constant."""
    summands: list[Term] = [
        VariableName(name) if factor == 1 else Arithmetic("*", NumberLiteral(factor), VariableName(name))
        for name, factor in terms
    ]
    if not summands:
        return NumberLiteral(constant)
    result = summands[0]
    for summand in summands[1:]:
        result = Arithmetic("+", result, summand)
    if constant:
        result = Arithmetic("+" if constant > 0 else "-", result, NumberLiteral(abs(constant)))
    return result
