"""What an intruder who knows how a file was masked can tell about a person."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from shoal.describe.roles import as_names
from shoal.describe.standardize import is_constant
from shoal.describe.strata import strata_of
from shoal.errors import ColumnError, NotApplicableError, ParameterError, nearest_name_hint
from shoal.measure.measure import About, Figure, file_measure
from shoal.measure.pairs import Pair
from shoal.measure.risk.candidate_groups import (
    Block,
    Rule,
    bracketing_groups,
    groups_by_value,
    groups_found_again,
    has_intervals,
    likely_groups,
    nearest_groups,
    survivors,
)
from shoal.measure.risk.distance_linkage import distance_linkage
from shoal.measure.risk.sample_size import sample_size
from shoal.parameters.choices import as_text, build, written_form
from shoal.parameters.limits import Number, OrNone, TrueOrFalse, Whole, check_limits
from shoal.progress import share

if TYPE_CHECKING:
    from shoal.partition import Partitioner
    from shoal.partition.fuzzy.soft_method import SoftMethod
    from shoal.replace import MembershipDraw

__all__ = ["known_method", "transparency_attack"]

Doubles = NDArray[np.float64]

_MOST_CHOICES = 200
_MOST_LISTED = 100
_RATES = ("expected", "certain", "coverage", "false_unique", "candidates", "linkage")


@file_measure(
    About(
        name="transparency_attack",
        title="Transparency attack",
        definition="What an intruder gains who knows the original values of a target in some variables, and the "
        "method, k and blocks of the masking: in each block only some groups can hold the target, and only records in "
        "such a group of every block can be its own. The value is the percentage of targets found by drawing one of "
        "these records. Records with a gap are left out.",
        reference="Winkler (2002), Single-ranking micro-aggregation and re-identification, U.S. Bureau of the Census, "
        "Research Report Statistics 2002-08; Nin, Herranz and Torra (2008), On the disclosure risk of multivariate "
        "microaggregation, Data and Knowledge Engineering 67(3)",
        range=(0.0, 100.0),
        better="lower",
        side="risk",
        unit="%",
    )
)
def transparency_attack(
    files: Pair,
    *,
    method: str | Mapping[str, Any] | Partitioner,
    k: int,
    blocks: int | Iterable[Iterable[Any]] | None = None,
    known: int | Iterable[Any] | None = None,
    strata: str | Iterable[str] | None = None,
    standardize: bool = True,
    replace: str | Mapping[str, Any] | MembershipDraw | None = None,
    level: int = 1,
    nearest: int | None = None,
    refine: bool = False,
    negligible: float = 0.001,
    sample: int | None = 2_000,
    seed: int = 0,
) -> Figure:
    """Return the expected percentage of targets found, with `.certain`, `.coverage`, `.linkage` and more.

    Parameters
    ----------
    files
        The two files.
    method, k, blocks
        How the file was masked, as `shoal.protect` was told. Without `blocks`, all numeric columns are one block, and
        each is a block of its own for "optimal-univariate".
    known
        What the intruder knows of a target: names of columns (also as lists, such as some of the blocks), or in how
        many blocks; of a single block, how many variables. The figures are then averages over all choices of so many,
        or over 200 drawn at random where there are more. By default everything is known.
    strata, standardize
        The columns whose values no group mixes, which are released as they are, and whether distances were taken on
        standard scores, as `shoal.protect` was told. The intruder knows the strata of the target.
    replace
        How a fuzzy method drew, as `shoal.protect` was told. By default as fuzzily as it clustered.
    level
        1: the intruder knows the target. 2: the intruder knows the known blocks of the whole original file and masks
        them again. This gives away the groups of every block that is wholly known, if the method can be repeated.
    nearest
        For all methods but "optimal-univariate": how many of the groups nearest to the target to take in each block.
        By default the fewest that leave a record; and a variable that is a block of its own is looked at as with
        "optimal-univariate" if its groups are intervals.
    refine
        For "optimal-univariate" with the mean: also rule out groups that the best partition would not have put the
        target into.
    negligible
        For fuzzy methods: a centre in which the target has less than this membership is no candidate.
    sample
        How many targets are drawn if the file has more than 20,000 records; None for all. All masked records stay
        candidates.
    seed
        What the draws of targets and choices start from.

    Returns
    -------
    Figure
        The expected rate, with these parts, in percent: `expected`; `certain`, the targets whose own record alone is
        left; `coverage`, those whose own record is left; `false_unique`, those of whom one record is left and it is
        the wrong one; `linkage`, what plain distance linkage finds with the same variables; `excess`, the expected
        rate less that. And: `candidates`, the mean number of records left; `choices`, how many the figures are
        averages of, out of `choices_possible`; `by_choice`, the same rates for each, if there are at most 100;
        `records`, those without a gap, and `sampled`, how many of them were targets, None if all were.

    Notes
    -----
    Groups are told apart by the masked values of their block. Where they are intervals of the sorted values of a
    single variable, as with "optimal-univariate", a value can only be in the two groups whose means bracket it: the
    truth is always among the candidates. For other methods the groups nearest to the target are taken, on the known
    variables of the block in units of the original's standard deviations, which are those that `shoal.protect` used.
    A fuzzy method may have given a record any centre in which it has a membership that is not negligible; all of these
    are candidates.

    The excess can be negative: candidates that are certain to hold the truth are often more than the nearest records.
    What this intruder has over plain linkage is then to know which guesses are right, the `certain` ones.
    """
    _check(
        k=k,
        standardize=standardize,
        level=level,
        nearest=nearest,
        refine=refine,
        negligible=negligible,
        sample=sample,
        seed=seed,
    )
    spelled, partitioner = known_method(method, k)
    if level == 2:
        _refuse_what_cannot_be_repeated(partitioner, spelled)
    alone = spelled["name"] == "optimal-univariate"
    layout = _layout(files, _cut(files, blocks, alone=alone))
    if level == 2 and not layout.complete.all():
        raise NotApplicableError("level=2 masks the original again, which needs files without gaps.")
    records = int(layout.complete.sum())
    rng = np.random.default_rng(seed)
    choices, possible = _choices(layout, known, rng)
    rows = np.flatnonzero(layout.complete)
    sampled = sample_size(records, sample)
    if sampled is not None:
        rows = np.sort(rng.choice(rows, sampled, replace=False))
    memberships = _memberships(partitioner, replace)
    likely = memberships and partial(likely_groups, memberships=memberships, negligible=negligible)
    columns = [str(name) for name in as_names([] if strata is None else strata, "strata")]
    parts = _strata_of(files, columns)
    scenes = {
        part: _Scene(
            files,
            _Layout(layout.blocks, layout.useful, layout.complete & (parts == part)),
            partitioner,
            alone=alone,
            standardize=standardize,
            level=level,
            nearest=nearest,
            refine=refine,
            likely=likely,
        )
        for part in np.unique(parts[rows])
    }
    found: list[dict[str, float]] = []
    for choice in choices:
        with share(1 / len(choices)):
            linked = distance_linkage.of(files.only([*choice, *columns]))  # which says how far it is
        in_each = [scene.rates(choice, rows[parts[rows] == part]) for part, scene in scenes.items()]
        rates = {name: math.fsum(one[name] for one in in_each) / len(rows) for name in in_each[0]}
        found.append(rates | {"linkage": float(linked)})
    by_choice = [{"known": list(choice)} | one for choice, one in zip(choices, found, strict=True)]
    rates = {name: math.fsum(one[name] for one in found) / len(found) for name in _RATES}
    return Figure(
        rates["expected"],
        **rates,
        excess=rates["expected"] - rates["linkage"],
        choices=len(choices),
        choices_possible=possible,
        records=records,
        sampled=sampled,
        method=as_text({key: value for key, value in spelled.items() if key not in ("random_state", "start")}),
        k=int(k),
        level=int(level),
        **({"by_choice": by_choice} if len(found) <= _MOST_LISTED else {}),
    )


def known_method(
    method: str | Mapping[str, Any] | Partitioner, k: int
) -> tuple[dict[str, Any], Partitioner | SoftMethod]:
    """Return a method as a plan spells it, without its k, and as an estimator."""
    from shoal.partition import METHODS, Partitioner

    spelled = written_form(method, METHODS, "method")
    if isinstance(method, Partitioner):
        if method.k != k:
            raise ParameterError(f"k={k} and the method's k={method.k} differ. Give the same k twice.")
        del spelled["k"]
    return spelled, build(spelled, METHODS, "method", k=k)


def _memberships(method: Partitioner | SoftMethod, replace: Any) -> Callable[[Doubles, Doubles], Doubles] | None:
    """Return what a fuzzy method draws by: the memberships of records in centres."""
    from shoal.partition.fuzzy.alternating import memberships
    from shoal.partition.fuzzy.soft_method import SoftMethod
    from shoal.replace import REPLACEMENTS, MembershipDraw

    if not isinstance(method, SoftMethod):
        return None
    spelled = written_form(replace or "membership-draw", REPLACEMENTS, "replace")
    draw = build(spelled, REPLACEMENTS, "replace")
    if not isinstance(draw, MembershipDraw):
        raise ParameterError("A fuzzy method draws centres by membership: replace must be membership-draw.")
    rule = method.rule(draw.fuzziness(method))
    return lambda X, centres: np.asarray(memberships(X, centres, rule))


def _check(**given: Any) -> None:
    check_limits(
        {
            "k": Whole(2),
            "standardize": TrueOrFalse(),
            "level": Whole(1, 2),
            "nearest": OrNone(Whole(1)),
            "refine": TrueOrFalse(),
            "negligible": Number(0, 1),
            "sample": OrNone(Whole(1)),
            "seed": Whole(0),
        },
        given,
    )


def _refuse_what_cannot_be_repeated(partitioner: Partitioner | SoftMethod, spelled: Mapping[str, Any]) -> None:
    name = spelled["name"]
    if not hasattr(partitioner, "fit"):
        raise ParameterError(f'level=2 masks again, and "{name}" draws every record at random: the seed is not known.')
    if hasattr(partitioner, "random_state") and "random_state" not in spelled:
        raise ParameterError(f'level=2 masks again, and "{name}" draws at random: give its random_state.')
    if getattr(partitioner, "steps", 0) is None:
        raise ParameterError(f'level=2 masks again, and "{name}" searches by the clock: give its steps.')


@dataclass(frozen=True)
class _Layout:
    """What there is to know.

    Attributes
    ----------
    blocks
        The columns of every block.
    useful
        Those of them that are numeric and vary.
    complete
        Which records have no gap in those.
    """

    blocks: tuple[tuple[str, ...], ...]
    useful: list[tuple[str, ...]]
    complete: NDArray[np.bool_]


def _cut(files: Pair, blocks: Any, *, alone: bool) -> tuple[tuple[str, ...], ...]:
    if blocks is None:
        files = files.only(files.numeric_names)
    cut = files.in_blocks(1 if alone and blocks is None else blocks)
    if alone and any(len(block) > 1 for block in cut):
        raise ParameterError('"optimal-univariate" groups one column at a time: every block must have one.')
    return cut


def _layout(files: Pair, blocks: tuple[tuple[str, ...], ...]) -> _Layout:
    files.need_numeric()
    numeric = [tuple(name for name in block if name in files.varying_names) for block in blocks]
    used = files.only([name for block in numeric for name in block])
    if not used.complete.any():
        raise NotApplicableError("The attack needs a record without a gap.")
    values = dict(zip(used.numeric_names, used.numbers[0][used.complete].T, strict=True))
    useful = [tuple(name for name in block if not is_constant(values[name])) for block in numeric]
    if not any(useful):
        raise NotApplicableError("The attack needs a block with a numeric variable that varies.")
    return _Layout(blocks, useful, used.complete)


def _names(given: Any, among: Sequence[str], what: str) -> Iterator[str]:
    """Return the names of columns in a list, or in a list of lists."""
    if not isinstance(given, str | int):
        for one in as_names(given, what):
            yield from _names(one, among, what)
    elif str(given) not in among:
        hint = nearest_name_hint(str(given), among)
        raise ColumnError(f'{what} names "{given}", which is not among the columns compared.{hint}')
    else:
        yield str(given)


def _choices(layout: _Layout, known: Any, rng: np.random.Generator) -> tuple[list[tuple[str, ...]], int]:
    """Return what the intruder may know, one or several choices of columns, and how many choices there are."""
    useful = [block for block in layout.useful if block]
    everything = [name for block in useful for name in block]
    if known is None:
        return [tuple(everything)], 1
    if not isinstance(known, Integral) or isinstance(known, bool):
        if isinstance(known, bool) or not isinstance(known, Iterable):
            raise ParameterError(f"known must be names of columns or a number of blocks; got {type(known).__name__}.")
        chosen = set(_names(known, [name for block in layout.blocks for name in block], "known"))
        if not chosen & set(everything):
            raise NotApplicableError("The attack needs a known variable that is numeric and varies.")
        return [tuple(name for name in everything if name in chosen)], 1
    items = useful if len(useful) > 1 else [(name,) for name in everything]
    check_limits({"known": Whole(1, len(items))}, {"known": known})
    possible = math.comb(len(items), int(known))
    if possible <= _MOST_CHOICES:
        drawn: Iterable[tuple[int, ...]] = combinations(range(len(items)), int(known))
    else:
        found: set[tuple[int, ...]] = set()
        while len(found) < _MOST_CHOICES:
            found.add(tuple(sorted(rng.choice(len(items), int(known), replace=False).tolist())))
        drawn = sorted(found)
    return [tuple(name for place in places for name in items[place]) for places in drawn], possible


class _Scene:
    """The masked file as the intruder sees it, and the rule for every block; both are made once."""

    def __init__(
        self,
        files: Pair,
        layout: _Layout,
        partitioner: Partitioner | SoftMethod,
        *,
        alone: bool,
        standardize: bool,
        level: int,
        nearest: int | None,
        refine: bool,
        likely: Callable[[Block], Rule] | None,
    ) -> None:
        self._files = files
        self._layout = layout
        self._partitioner = partitioner
        self._alone = alone
        self._standardize = standardize
        self._level = level
        self._nearest = nearest
        self._refine = refine
        self._likely = likely
        self._seen: dict[tuple[str, ...], tuple[Block, Rule]] = {}

    def rates(self, choice: Sequence[str], rows: NDArray[np.int64]) -> dict[str, float]:
        """Return the rates of an intruder who knows these columns of the targets in these rows, summed over them."""
        targets = np.searchsorted(np.flatnonzero(self._layout.complete), rows)
        known = [tuple(name for name in useful if name in set(choice)) for useful in self._layout.useful]
        if self._level == 2 and not any(self._is_whole(*part) for part in enumerate(known)):
            raise ParameterError("level=2 needs a block of which every column is known.")
        blocks, rules = zip(*(self._see(*part) for part in enumerate(known) if part[1]), strict=True)
        counts, has_true = survivors(blocks, rules, targets, nearest=self._nearest)
        unique = counts == 1
        return {
            "expected": 100 * float((has_true / np.maximum(counts, 1)).sum()),
            "certain": 100 * float((has_true & unique).sum()),
            "coverage": 100 * float(has_true.sum()),
            "false_unique": 100 * float((~has_true & unique).sum()),
            "candidates": float(counts.sum()),
        }

    def _is_whole(self, number: int, known: tuple[str, ...]) -> bool:
        """Whether a block is known so well that it can be masked again."""
        is_numeric = set(self._layout.blocks[number]) <= set(self._files.numeric_names)
        return is_numeric and bool(known) and known == self._layout.useful[number]

    def _see(self, number: int, known: tuple[str, ...]) -> tuple[Block, Rule]:
        if known not in self._seen:
            block = groups_by_value(
                *self._files.only(known).numbers, self._layout.complete, standardize=self._standardize
            )
            self._seen[known] = block, self._rule(number, known, block)
        return self._seen[known]

    def _rule(self, number: int, known: tuple[str, ...], block: Block) -> Rule:
        if self._level == 2 and self._is_whole(number, known):
            return groups_found_again(block, self._masked_again(block))
        if self._likely is not None and self._nearest is None:
            return self._likely(block)
        if self._alone:
            return bracketing_groups(block, k=self._partitioner.k if self._refine else None)
        if len(self._layout.blocks[number]) == 1 and self._nearest is None and has_intervals(block):
            return bracketing_groups(block)
        return nearest_groups(block)

    def _masked_again(self, block: Block) -> NDArray[np.int64]:
        from shoal.partition.fuzzy.soft_method import SoftMethod

        assert not isinstance(self._partitioner, SoftMethod)  # which cannot be masked again
        return np.asarray(self._partitioner.fit(block.scaled(block.original)).labels_)


def _strata_of(files: Pair, columns: Sequence[str]) -> NDArray[np.int64]:
    """Return the stratum of every record, which the intruder sees in the masked file."""
    for name in columns:
        if name not in files.masked.names or name not in files.original.names:
            raise ColumnError(f'strata names "{name}", which is not in both files.')
    return strata_of(files.masked, columns).codes
