"""Targeted record swapping: households (or records) at risk exchange their places with similar ones elsewhere."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from shoal.describe.combinations import joined_codes
from shoal.errors import ColumnError, DataError, ParameterError, nearest_name_hint
from shoal.parameters.limits import Limit, Number, OrNone, check_limits
from shoal.parameters.searched import Searched
from shoal.replace.perturb.base import Part, Perturbation, Perturbed
from shoal.replace.synthetic.synthetic import Names, Tally, as_tuple

Whole64 = NDArray[np.int64]
Truths = NDArray[np.bool_]


def agreement(columns: Sequence[Whole64], units: Whole64, first: Whole64) -> Whole64:
    """Number the units so that those with the same number agree in all columns.

    In a column that has one value within every unit, units agree that have the same. In the other columns, taken
    together, they agree if their records have the same combinations, each as often.

    Parameters
    ----------
    columns
        Codes of the columns, a row for each record, -1 for a missing value, which counts as a value.
    units
        The unit of every record, 0 to U - 1.
    first
        A record of each unit.
    """
    constant = [np.array_equal(column[first][units], column) for column in columns]
    codes = [column[first] for column, same in zip(columns, constant, strict=True) if same]
    varying = [column for column, same in zip(columns, constant, strict=True) if not same]
    if varying:
        combined = joined_codes(varying, len(units))
        order = np.lexsort((combined, units))
        ends = np.cumsum(np.bincount(units, minlength=len(first)))
        numbers: dict[bytes, int] = {}
        texts = [some.tobytes() for some in np.split(combined[order], ends[:-1])]
        codes.append(np.array([numbers.setdefault(text, len(numbers)) for text in texts], dtype=np.int64))
    return joined_codes(codes, len(first))


def units_at_risk(columns: Sequence[Whole64], units: Whole64, k: int) -> Truths:
    """Return which units have a record whose combination in the columns fewer than k different units have."""
    combined = joined_codes(columns, len(units))
    count = int(units.max(initial=-1)) + 1
    pairs = np.unique(combined * count + units)
    few = np.bincount(pairs // count)[combined] < k
    return np.bincount(units, few, minlength=count) > 0


def paired(codes: Whole64, areas: Whole64, wanting: Truths, free: Truths) -> Iterator[tuple[int, int]]:
    """Yield pairs of units with the same code and different areas.

    The units that want a partner choose in their order, each the first unit that is still free. As many steps are
    taken as there are areas and pairs: the first free unit of every area with the same code is in a heap.

    Parameters
    ----------
    codes
        What partners have to have in common.
    areas
        What they may not have in common.
    wanting
        Which units look for a partner.
    free
        Which units may still be swapped; no unit is in two pairs.
    """
    free = free.copy()
    wanted = np.flatnonzero(wanting & free)
    if not len(wanted):
        return
    is_wanted = np.zeros(int(codes.max()) + 1, dtype=bool)
    is_wanted[codes[wanted]] = True
    pool = np.flatnonzero(free & is_wanted[codes])
    pool = pool[np.lexsort((pool, areas[pool], codes[pool]))]
    cut = np.flatnonzero(np.diff(codes[pool])) + 1
    looking = wanted[np.argsort(codes[wanted], kind="stable")]
    looking_cut = np.flatnonzero(np.diff(codes[looking])) + 1
    for members, choosing in zip(np.split(pool, cut), np.split(looking, looking_cut), strict=True):
        yield from _paired_alike(members, areas, choosing.tolist(), free)


def _paired_alike(members: Whole64, areas: Whole64, choosing: list[int], free: Truths) -> Iterator[tuple[int, int]]:
    """Yield the pairs among units with one code, which are sorted by area; `free` says what is left."""
    starts = np.concatenate([[0], np.flatnonzero(np.diff(areas[members])) + 1])
    ends = [*starts[1:].tolist(), len(members)]
    # The first free unit of every area, where it is among the members, and where its area ends.
    heads = [(int(members[start]), int(start), end) for start, end in zip(starts, ends, strict=True)]
    heapq.heapify(heads)
    for unit in choosing:
        if not free[unit]:
            continue
        own = None
        while heads:
            other, place, end = heads[0]
            if not free[other]:
                heapq.heappop(heads)
                while place < end and not free[members[place]]:
                    place += 1
                if place < end:
                    heapq.heappush(heads, (int(members[place]), place, end))
            elif areas[other] == areas[unit]:
                own = heapq.heappop(heads)
            else:
                free[unit] = free[other] = False
                yield unit, other
                break
        if own is not None:
            heapq.heappush(heads, own)


_ALONE = -1  # who has no partner


@dataclass(frozen=True)
class RecordSwap(Perturbation):
    """Households, or records, at risk exchange their places with similar ones elsewhere; then some at random.

    Parameters
    ----------
    geography
        The columns that are exchanged, the coarsest first: region, district, municipality. By default the columns that
        are protected and named nowhere else here. All of them are exchanged at once, so that they stay consistent.
    within
        Columns that partners have to have the same values in; who finds no such partner stays.
    similar
        Columns that partners have the same values in, if there are such partners: first all of them, then all but the
        last, and so on.
    keys
        The key variables. A record is at risk if fewer than k have its combination of these in its place, k different
        units where there are units. Without keys, places with fewer than k are at risk.
    rate
        The share of units (records) to be swapped, rounded up to pairs. If those at risk and their partners are fewer,
        others are drawn at random; if they are more, all of them are swapped all the same.

    Notes
    -----
    Units are in random order. From the coarsest place to the finest, those at risk there choose a partner in another
    such place, each the first that is free, and nobody is swapped twice. Of all partners that agree in `within`, those
    with as many records come first, then those that agree in more of `similar`, then those that share the coarser
    place. A unit moves whole: all its records get the place of the other. Units agree in a column that varies within
    units if their records have the same values there, each as often.

    Every place keeps the number of its units, also within every combination of `within`. It keeps the number of its
    records too, as long as partners have equally many, and then how they are distributed over `within` and over what
    partners agree in of `similar`. Columns that are not named in `geography` stay as they are, and so do records
    with a missing place. Sampling weights stay with the records: weighted totals of places change.

    References
    ----------
    L. Antal, T. Enderle and S. Giessing (2017), Harmonised protection of census data in the ESS: statistical disclosure
    control methods, Eurostat; `recordSwap` of the R package sdcMicro swaps households level by level too.
    """

    geography: Sequence[str] | None = None
    within: Sequence[str] | None = None
    similar: Sequence[str] | None = None
    keys: Sequence[str] | None = None
    rate: float = 0.05

    name: ClassVar[str] = "record-swap"
    reference: ClassVar[str] = (
        "L. Antal, T. Enderle and S. Giessing (2017), Harmonised protection of census data in the ESS: statistical "
        "disclosure control methods, Eurostat"
    )
    kinds: ClassVar[frozenset[str]] = frozenset({"continuous", "ordinal", "nominal"})
    scope: ClassVar[Literal["column", "block", "file"]] = "block"
    supports_units: ClassVar[bool] = True
    searched: ClassVar[tuple[Searched, ...]] = (Searched("rate", (0.02, 0.05, 0.1, 0.2), 0.05),)
    limits: ClassVar[Mapping[str, Limit]] = {
        "geography": OrNone(Names()),
        "within": OrNone(Names()),
        "similar": OrNone(Names()),
        "keys": OrNone(Names()),
        "rate": Number(0, 1),
    }

    def __post_init__(self) -> None:
        for field in ("geography", "within", "similar", "keys"):
            object.__setattr__(self, field, as_tuple(getattr(self, field)))
        check_limits(self.limits, vars(self))
        if self.geography is not None and not self.geography:
            raise ParameterError("geography must name a column at least, or be left out.", parameter="geography")
        for other in ("within", "similar"):
            for column in getattr(self, other) or ():
                if column in (self.geography or ()):
                    raise ColumnError(
                        f'"{column}" is in geography and in {other}: partners cannot be in different places that are '
                        f"the same. Leave it out of one of them.",
                        column=column,
                    )

    def changes(self, name: str) -> bool:
        """Whether a column is exchanged; the others of its block stay."""
        if self.geography is not None:
            return name in self.geography
        return name not in {*(self.within or ()), *(self.similar or ()), *(self.keys or ())}

    def perturbed(self, part: Part, rng: np.random.Generator) -> Perturbed:
        """Exchange the places of the units of a part.

        Parameters
        ----------
        part
            The columns, and the units if there are any.
        rng
            The source of the random order of units.
        """
        records = np.arange(len(part))
        units = records if part.units is None else np.unique(part.units, return_inverse=True)[1].reshape(-1)
        geography = self._geography(part)
        codes = {name: _codes(part, name) for name in self._named(part, geography)}
        # In random order: unit 0 chooses first, and is chosen first.
        units = rng.permutation(int(units.max(initial=-1)) + 1)[units]
        first = np.unique(units, return_index=True)[1]
        _refuse_several_places([codes[name] for name in geography], units, first, geography)
        swap = _Swap(self, codes, geography, units, first, part.k)
        swap.at_risk()
        swap.at_random()
        other = swap.partner[units]
        taken = np.where(other == _ALONE, records, first[other])
        changed = {name: taken if name in geography else records for name in part.values}
        return Perturbed({}, changed, swap.tallies("records" if part.units is None else "units"))

    def _geography(self, part: Part) -> tuple[str, ...]:
        """Return the columns that are exchanged."""
        if self.geography is not None:
            for name in self.geography:
                if name in part.beside:
                    raise ColumnError(
                        f'record-swap cannot exchange "{name}", which is not among the columns to protect. Name it '
                        "there too.",
                        column=name,
                    )
            return tuple(self.geography)
        elsewhere = {*(self.within or ()), *(self.similar or ()), *(self.keys or ())}
        columns = tuple(name for name in part.values if name not in elsewhere)
        if not columns:
            raise ParameterError("record-swap has no column to exchange. Name some in geography.")
        return columns

    def _named(self, part: Part, geography: tuple[str, ...]) -> list[str]:
        """Return every column that is used, once; an error if there is no such column."""
        names = list(dict.fromkeys([*geography, *(self.within or ()), *(self.similar or ()), *(self.keys or ())]))
        known = [*part.values, *part.beside]
        for name in names:
            if name not in known:
                raise ColumnError(
                    f'record-swap names the column "{name}", which is not there.{nearest_name_hint(name, known)}',
                    column=name,
                )
        return names


class _Swap:
    """The units of a part, in random order, and who is swapped with whom so far."""

    def __init__(
        self,
        method: RecordSwap,
        codes: Mapping[str, Whole64],
        geography: tuple[str, ...],
        units: Whole64,
        first: Whole64,
        k: int,
    ) -> None:
        places = [codes[name] for name in geography]
        keys = [codes[name] for name in method.keys or () if name not in geography]
        count = len(first)
        self.partner = np.full(count, _ALONE, dtype=np.int64)
        self._areas = [joined_codes([one[first] for one in places[: level + 1]], count) for level in range(len(places))]
        self._risky = [units_at_risk([*keys, *places[: level + 1]], units, k) for level in range(len(places))]
        self._has_place = np.all([one[first] >= 0 for one in places], axis=0)
        self._sizes = np.bincount(units, minlength=count)
        within = agreement([codes[name] for name in method.within or ()], units, first)
        similar = [codes[name] for name in method.similar or ()]
        # What partners have in common, the best first; the last is what they have to.
        alike = [
            joined_codes([within, agreement(similar[:some], units, first)], count)
            for some in range(len(similar), -1, -1)
        ]
        self._alike = [joined_codes([one, self._sizes], count) for one in alike] + alike
        self._most_alike = alike[0]
        self._pairs = int(np.ceil(method.rate * count / 2 - 1e-9))  # not one more because of rounding
        self._random = 0

    def at_risk(self) -> None:
        """Swap those at risk, from the coarsest place to the finest."""
        for level, risky in enumerate(self._risky):
            self._match(risky, level)

    def at_random(self) -> None:
        """Swap others, one after the other, until there are as many pairs as the rate asks for."""
        before = self._swapped
        untried = np.flatnonzero(self._free)
        while (lacking := self._pairs - self._swapped // 2) > 0 and len(untried):
            wanting = np.zeros(len(self.partner), dtype=bool)
            wanting[untried[:lacking]] = True
            self._match(wanting, len(self._areas) - 1)
            untried = untried[lacking:]
            untried = untried[self._free[untried]]
        self._random = self._swapped - before

    def tallies(self, word: str) -> tuple[Tally, ...]:
        """Return what was swapped, counted in records or units."""
        swapped = self.partner != _ALONE
        risky, of = self._risky[-1], len(self.partner)
        paired_units = np.flatnonzero(swapped)
        other = self.partner[paired_units]
        unequal = int((self._sizes[paired_units] != self._sizes[other]).sum())
        unlike = int((self._most_alike[paired_units] != self._most_alike[other]).sum())
        total = len(paired_units)
        return (
            Tally(
                f"{{count:,}} of {{of:,}} {word} exchanged their places with others.",
                total,
                of,
                f"No {word} exchanged their places.",
            ),
            Tally(
                f"{{count:,}} of {{of:,}} {word} at risk, with fewer than k in their place, were swapped.",
                int((risky & swapped).sum()),
                int(risky.sum()),
            ),
            Tally(
                f"{{count:,}} of {{of:,}} {word} at risk found no partner in another place and stay where they are.",
                int((risky & ~swapped).sum()),
                int(risky.sum()),
            ),
            Tally(f"{{count:,}} of {{of:,}} {word} were swapped at random.", self._random, of),
            Tally(
                f"{{count:,}} of {{of:,}} swapped {word} have a partner with another number of records.", unequal, total
            ),
            Tally(f"{{count:,}} of {{of:,}} swapped {word} have a partner that is not similar in all.", unlike, total),
        )

    @property
    def _free(self) -> Truths:
        return np.asarray((self.partner == _ALONE) & self._has_place, dtype=np.bool_)

    @property
    def _swapped(self) -> int:
        return int((self.partner != _ALONE).sum())

    def _match(self, wanting: Truths, level: int) -> None:
        """Find a partner in another place of that level for everyone who wants one, the most alike first."""
        for alike in self._alike:
            nearer = [joined_codes([alike, self._areas[level - 1]], len(alike))] if level else []
            for codes in [*nearer, alike]:
                for one, other in paired(codes, self._areas[level], wanting, self._free):
                    self.partner[one], self.partner[other] = other, one


def _codes(part: Part, name: str) -> Whole64:
    """Return a column of a part as codes, -1 for a missing value."""
    if name in part.beside:
        return np.asarray(part.beside[name], dtype=np.int64)
    column = part.values[name]
    observed = ~np.isnan(column)
    codes = np.full(len(column), -1, dtype=np.int64)
    codes[observed] = np.unique(column[observed], return_inverse=True)[1].reshape(-1)
    return codes


def _refuse_several_places(places: list[Whole64], units: Whole64, first: Whole64, geography: tuple[str, ...]) -> None:
    """Raise DataError if the records of a unit are in different places."""
    for name, codes in zip(geography, places, strict=True):
        divided = len(np.unique(units[codes[first][units] != codes]))
        if divided:
            raise DataError(
                f'record-swap moves units whole, but {divided} have records with different values of "{name}". Leave '
                "it out of geography, or swap records: leave out unit."
            )
