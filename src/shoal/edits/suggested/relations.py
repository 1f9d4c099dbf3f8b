"""Relations between columns of numbers that hold in every record: bounds, orders, products and sums."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import TypeVar

import numpy as np

from shoal.describe.variables import word_like
from shoal.edits.expressions import Arithmetic, Every, NumberLiteral, Term, TermComparison, VariableName
from shoal.edits.rules import Rule
from shoal.edits.suggested.suggestion import (
    FEWEST,
    Booleans,
    Doubles,
    NumberColumns,
    SuggestedRule,
    SuggestionKind,
    spread_out,
    suggestion_of,
)

_Node = TypeVar("_Node", bound=Hashable)


def not_implied(
    edges: Iterable[tuple[_Node, _Node]], known: Iterable[tuple[_Node, _Node]] = ()
) -> list[tuple[_Node, _Node]]:
    """Return the edges that no path over other edges, or over those that are known, replaces (transitive reduction)."""
    kept = list(dict.fromkeys(edges))
    following: dict[_Node, set[_Node]] = {}
    for start, end in [*known, *kept]:
        following.setdefault(start, set()).add(end)
    given = set(known)
    for edge in list(kept):
        start, end = edge
        following[start].discard(end)
        if edge in given or end in _reached(start, following):
            kept.remove(edge)
        if edge in given or edge in kept:
            following[start].add(end)
    return kept


def _reached(start: _Node, following: dict[_Node, set[_Node]]) -> set[_Node]:
    reached: set[_Node] = set()
    waiting = [start]
    while waiting:
        for node in following.get(waiting.pop(), set()) - reached:
            reached.add(node)
            waiting.append(node)
    return reached


_PRECISION = 1e-7  # relative: how near a computed number is to the simple one

_MOST_DECIMALS, _MOST_DIGITS = 4, 4

_MOST_FACTORS = 20  # a relation between more columns is none to read

_MULTIPLES = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12)


def simple_number(number: float) -> float | None:
    """Return the number of at most four digits, and four decimals, that a computed number stands for; None if none."""
    for decimals in range(_MOST_DECIMALS + 1):
        rounded = round(number, decimals)
        if abs(rounded - number) <= _PRECISION * abs(number):
            return rounded if rounded and digits_of(rounded) <= _MOST_DIGITS else None
    return None


def digits_of(number: float) -> int:
    """Return how many digits a number is written with, leading and trailing zeros left out."""
    return len(f"{abs(number):.6f}".replace(".", "").strip("0"))


def simple_factors(factors: Doubles) -> Doubles | None:
    """Return factors of a relation, times whatever makes all of them simple numbers; None if nothing does.

    A relation stays the same if all its factors are multiplied by one number. One of them becomes 1, or all become
    whole numbers; of several ways, the one with the least to read is taken.
    """
    used = np.flatnonzero(factors)
    best: tuple[int, Doubles] | None = None
    if len(used) > _MOST_FACTORS:
        return None
    for unit in used:
        for multiple in _MULTIPLES:
            simple = list(_simple_ones(factors[used] * (multiple / factors[unit]), whole=multiple != 1))
            if len(simple) == len(used) and (best is None or _effort(simple) < best[0]):
                result = np.zeros_like(factors)
                result[used] = simple
                best = _effort(simple), result
    return None if best is None else best[1]


def _simple_ones(numbers: Doubles, whole: bool) -> Iterator[float]:
    """Yield the simple numbers that numbers stand for, up to the first that is not simple, or not whole if need be."""
    for number in numbers.tolist():
        simple = simple_number(number)
        if simple is None or (whole and not simple.is_integer()):
            return
        yield simple


def _effort(factors: list[float]) -> int:
    """Return how much there is to read in factors: their digits, decimals twice, and three more if none is 1."""
    digits = sum(digits_of(one) + 2 * _decimals_of(one) for one in factors if abs(one) != 1)
    return digits + (0 if any(abs(one) == 1 for one in factors) else 3)


def _decimals_of(number: float) -> int:
    return len(f"{number:.6f}".rstrip("0").partition(".")[2])


_NOTHING = 1e-9  # of the largest number: what is left by rounding

_DEPENDENT = 1e-7  # of the largest number: what is left of a vector that is a sum of others

_SPARSE_ROUNDS, _MOST_KEPT, _MOST_SHARED = 3, 40, 8  # of the search for relations with fewer columns


def sparse_null_vectors(columns: Doubles) -> list[Doubles]:
    """Return factors whose sum over the columns is the same in every record, those of fewest columns first.

    Parameters
    ----------
    columns
        Complete columns, one a row, of more records than columns. Each varies, or takes no part.
    """
    centred = columns - columns[:, :1]
    scales = np.abs(centred).max(axis=1)
    varying = np.flatnonzero(scales > 0)
    relations = _null_vectors(centred[varying] / scales[varying, None])
    vectors = []
    for relation in _fewest_columns(relations):
        factors = np.zeros(len(columns))
        factors[varying] = relation / scales[varying]
        vectors.append(factors)
    return vectors


class IndependentVectors:
    """Vectors of which none is a sum of multiples of the others."""

    def __init__(self) -> None:
        self._echelon: list[tuple[int, Doubles]] = []

    def __len__(self) -> int:
        return len(self._echelon)

    def add(self, vector: Doubles) -> bool:
        """Add a vector, and return whether it is no sum of multiples of those before; otherwise it is not added."""
        left = vector / np.abs(vector).max()
        for place, row in self._echelon:
            if left[place]:
                left = left - left[place] * row
        largest = int(np.abs(left).argmax())
        if abs(left[largest]) <= _DEPENDENT:
            return False
        self._echelon.append((largest, left / left[largest]))
        return True


def _null_vectors(columns: Doubles) -> list[Doubles]:
    """Return as many independent relations as there are, by elimination with complete pivoting."""
    left = columns.copy()
    factors = np.eye(len(columns))
    open_ones = list(range(len(columns)))
    while open_ones:
        sizes = np.abs(left[open_ones])
        place, record = np.unravel_index(int(sizes.argmax()), sizes.shape)
        if sizes[place, record] <= _NOTHING:
            break
        pivot = open_ones.pop(int(place))
        share = left[open_ones, record] / left[pivot, record]
        left[open_ones] -= share[:, None] * left[pivot]
        factors[open_ones] -= share[:, None] * factors[pivot]
    return [_cleaned(factors[place]) for place in open_ones]


def _fewest_columns(vectors: list[Doubles]) -> list[Doubles]:
    """Return independent relations of as few columns as can be had by eliminating one column from two relations."""
    known = {_support(vector): vector for vector in vectors}
    for _ in range(_SPARSE_ROUNDS if len(vectors) > 1 else 0):
        kept = sorted(known, key=lambda support: (len(support), support))[:_MOST_KEPT]
        fresh = {
            support: combined
            for one, other in combinations(kept, 2)
            for combined in _combined(known[one], known[other])
            if (support := _support(combined)) not in known and len(support) < max(len(one), len(other))
        }
        if not fresh:
            break
        known |= fresh
    chosen = IndependentVectors()
    by_size = sorted(known, key=lambda support: (len(support), support))
    return [known[support] for support in by_size if len(chosen) < len(vectors) and chosen.add(known[support])]


def _combined(one: Doubles, other: Doubles) -> Iterator[Doubles]:
    for place in np.flatnonzero((one != 0) & (other != 0))[:_MOST_SHARED]:
        combined = _cleaned(one - other * (one[place] / other[place]))
        combined[place] = 0.0
        if combined.any():
            yield combined


def _cleaned(vector: Doubles) -> Doubles:
    largest = np.abs(vector).max()
    return np.where(np.abs(vector) > _NOTHING * largest, vector / largest, 0.0) if largest > 0 else vector


def _support(vector: Doubles) -> tuple[int, ...]:
    return tuple(np.flatnonzero(vector).tolist())


_SHARES = re.compile(r"shares?|prop|proportions?|prob|probability|fractions?|frac")

_PERCENTAGES = re.compile(r"percent(age|ages|s)?|pct|perc|pc")


def bound_suggestions(columns: NumberColumns, among: list[str]) -> Iterator[SuggestedRule]:
    """Yield the bounds of columns: not negative, at least 1, a share or a percentage."""
    for name in among:
        lower, upper = _lower(columns, name), _upper(columns, name)
        variable = VariableName(name)
        from_below = TermComparison(">=", variable, NumberLiteral(0.0 if lower is None else lower))
        if upper is not None:
            between = (
                TermComparison("<=", NumberLiteral(0.0), variable),
                TermComparison("<=", variable, NumberLiteral(upper)),
            )
            suggestion = suggestion_of(Every(between), "bound", columns.records)
        elif lower is not None:
            suggestion = suggestion_of(from_below, "bound", columns.records)
        else:
            suggestion = None
        if suggestion is not None:
            yield suggestion


def _lower(columns: NumberColumns, name: str) -> float | None:
    """Return 0 for a column that is not negative and comes near it, 1 for counts of which many are 1, else None."""
    least, greatest = columns.least[name], columns.greatest[name]
    if least < 0 or least > (greatest - least) / 2:  # the height of people is not negative, but who would say so
        return None
    ones = int((columns.values[name] == 1).sum())
    return 1.0 if least == 1 and name in columns.whole and ones >= FEWEST else 0.0


def _upper(columns: NumberColumns, name: str) -> float | None:
    """Return 1 for a share, 100 for a percentage, by the name of the column or its label, else None."""
    label = columns.records.table.labels.variables.get(name, "")
    least, greatest = columns.least[name], columns.greatest[name]
    if least < 0:
        return None
    if greatest <= 1 and name not in columns.whole and _is_called(_SHARES, name, label):
        return 1.0
    called = _is_called(_PERCENTAGES, name, label) or "%" in name + label
    return 100.0 if 1 < greatest <= 100 and called else None


def _is_called(pattern: re.Pattern[str], name: str, label: str) -> bool:
    return bool(word_like(pattern, name) or word_like(pattern, label))


# The share of pairs of different records that break an order, and how many records would by chance. With a smaller
# share it holds for the sizes of the columns; with fewer records it is often an accident, as real files show.
_OFTEN, _EXPECTED = 0.02, 50

_MOST = 10  # orders; a table of series has hundreds


def order_pairs(columns: NumberColumns, among: list[str], known: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return the pairs of columns of which the first never exceeds the second, without those that follow from others.

    Parameters
    ----------
    columns
        The columns of the table.
    among
        Those to compare.
    known
        Pairs that follow from other rules.
    """
    if len(among) < 2:
        return []
    sample = np.array([columns.sample[name] for name in among])
    pairs = []
    for place, name in enumerate(among):
        never_above = ~(sample[place] > sample).any(axis=1)
        never_above[place] = False
        others = [among[other] for other in np.flatnonzero(never_above)]
        alike = [other for other in others if (name in columns.codes) == (other in columns.codes)]  # amounts, or counts
        pairs += [(name, other) for other in alike if _is_order(columns, name, other)]
    return not_implied(pairs, known)


def order_suggestions(columns: NumberColumns, pairs: Iterable[tuple[str, str]]) -> Iterator[SuggestedRule]:
    """Yield the suggestions for pairs of columns, at most ten, those first that chance would break most often."""
    by_share = sorted(pairs, key=lambda pair: -_share_above(columns.sample[pair[0]], columns.sample[pair[1]]))
    for lower, upper in by_share[:_MOST]:
        order = TermComparison("<=", VariableName(lower), VariableName(upper))
        suggestion = suggestion_of(order, "order", columns.records)
        if suggestion is not None:
            yield suggestion


def _is_order(columns: NumberColumns, lower: str, upper: str) -> bool:
    """Whether the first column never exceeds the second, and would if records were paired by chance."""
    one, other = columns.values[lower], columns.values[upper]
    both = ~np.isnan(one) & ~np.isnan(other)
    records = int(both.sum())
    if records < FEWEST or (one[both] > other[both]).any() or (one[both] == other[both]).all():
        return False
    share = _share_above(columns.sample[lower], columns.sample[upper])
    return share >= _OFTEN and share * records >= _EXPECTED


def _share_above(one: Doubles, other: Doubles) -> float:
    """Return in which share of the pairs of records the value of one column exceeds that of another."""
    both: Booleans = ~np.isnan(one) & ~np.isnan(other)
    if not both.any():
        return 0.0
    below = np.searchsorted(np.sort(other[both]), one[both], side="left")
    return float(below.mean()) / int(both.sum())


_TOLERANCE = 1e-9  # relative, of the sample; what is suggested is checked as every rule is

_FEW_RECORDS = 120  # of the sample, to discard most products

_FEW_VALUES = 5  # different ones; a product with less is a choice


def product_suggestions(columns: NumberColumns, among: list[str]) -> Iterator[SuggestedRule]:
    """Yield the products of two columns, or these times a simple number, that are another column in every record."""
    names = [name for name in among if len(np.unique(columns.sample[name])) > _FEW_VALUES]
    sample = np.array([columns.sample[name][spread_out(len(columns.sample[name]), _FEW_RECORDS)] for name in names])
    for one, other in combinations(range(len(names)), 2):
        for place in _proportional(sample, sample[one] * sample[other]):
            suggestion = (
                None if place in (one, other) else _product_suggestion(columns, names[place], names[one], names[other])
            )
            if suggestion is not None:
                yield suggestion


def _proportional(sample: Doubles, product: Doubles) -> list[int]:
    """Return the columns that seem to be the product times a number, in the records where neither is 0."""
    with np.errstate(all="ignore"):
        ratios = sample / product
        telling = np.isfinite(ratios) & (ratios != 0)
        least = np.where(telling, ratios, np.inf).min(axis=1)
        greatest = np.where(telling, ratios, -np.inf).max(axis=1)
        alike = greatest - least <= _TOLERANCE * np.maximum(np.abs(least), np.abs(greatest))
    return np.flatnonzero(alike & (telling.sum(axis=1) >= FEWEST)).tolist()


def _product_suggestion(columns: NumberColumns, whole: str, one: str, other: str) -> SuggestedRule | None:
    values = [columns.values[name] for name in (whole, one, other)]
    telling = np.logical_and.reduce([(column != 0) & ~np.isnan(column) for column in values])
    if int(telling.sum()) < FEWEST:
        return None
    factor = simple_number(float(np.median(values[0][telling] / (values[1] * values[2])[telling])))
    if factor is None:
        return None
    left: Term = VariableName(whole)
    right: Term = Arithmetic("*", VariableName(one), VariableName(other))
    inverse = simple_number(1 / factor)
    if factor < 1 and inverse is not None:
        left = Arithmetic("*", NumberLiteral(inverse), left)
    elif factor != 1:
        right = Arithmetic("*", Arithmetic("*", NumberLiteral(factor), VariableName(one)), VariableName(other))
    return suggestion_of(TermComparison("==", left, right), "product", columns.records)


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
        suggestion = _sum_suggestion(relation, columns)
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


def _sum_suggestion(relation: LinearRelation, columns: NumberColumns) -> SuggestedRule | None:
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
