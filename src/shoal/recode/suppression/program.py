"""Suppression as a linear program, for files with few combinations: a bound, and the best use of some classes."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.recode.suppression.classes import Classes

Whole64 = NDArray[np.int64]
Doubles = NDArray[np.float64]
Truths = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Carried:
    """How classes are carried as the file is.

    Attributes
    ----------
    short
        The items whose combination is carried by fewer than k.
    home
        How many carry the combination of each item.
    joining
        How many records of short items could join each class.
    short_carriers
        How many records, or different units, these are.
    full
        The classes that are the combination of items carried by k.
    loan
        What the cheapest record of the other items costs in each class; infinite where there is none.
    """

    short: Truths
    home: Whole64
    joining: Doubles
    short_carriers: Doubles
    full: Truths
    loan: Doubles

    @classmethod
    def of(cls, classes: Classes, amounts: Whole64, units: Whole64 | None, k: int) -> Carried:
        """Return how the classes of some items are carried."""
        number = len(classes.mask_of)
        carriers = _carriers(classes.home, amounts, units, number)
        home = carriers[classes.home].astype(np.int64)
        short = home < k
        own = classes.of_item[short]
        valid = own >= 0
        records = np.broadcast_to(amounts[short][:, None], own.shape)[valid]
        joining = np.bincount(own[valid], records, number).astype(np.float64)
        behind = None if units is None else np.broadcast_to(units[short][:, None], own.shape)[valid]
        loan = np.full(number, np.inf)
        there, costs = classes.of_item[~short], classes.cost[classes.pattern[~short]]
        np.minimum.at(loan, there[there >= 0], costs[there >= 0])
        full = np.zeros(number, dtype=bool)
        full[classes.home[~short]] = True
        return cls(short, home, joining, _carriers(own[valid], records, behind, number), full, loan)


def _carriers(places: Whole64, amounts: Whole64, units: Whole64 | None, number: int) -> Doubles:
    """Return how many records, or different units, are in each of the places."""
    if units is None:
        return np.bincount(places, amounts, number).astype(np.float64)
    return np.bincount(np.unique(np.column_stack([places, units]), axis=0)[:, 0], minlength=number).astype(np.float64)


def shared_prices(classes: Classes, carried: Carried, k: int) -> Doubles:
    """Return what a record of each short item costs at least, with its share of the records its class has to borrow.

    A class that is carried by u of the short records that could join it, and not full, needs k - u others, who pay at
    least `loan` each; shared among all short records that could join, that is the least a record adds to its own cost.
    """
    own, costs = classes.of_item[carried.short], classes.cost[classes.pattern[carried.short]]
    need = np.where(carried.full, 0.0, np.maximum(0.0, k - carried.short_carriers))
    share = np.zeros(len(need))
    wanting = need > 0
    share[wanting] = need[wanting] * carried.loan[wanting] / np.maximum(1.0, carried.joining[wanting])
    by_class = np.where(own >= 0, costs + share[own], np.inf)
    return np.asarray(np.minimum(by_class.min(axis=1), classes.beyond))


def bound_by_prices(classes: Classes, amounts: Whole64, prices: Doubles, k: int) -> float:
    """Return what no choice of cells goes below, by prices of the records of all items.

    Records are worth their prices in sum, less what classes would gain: a class that takes at least k records of those
    that fit gains by how much their prices exceed their costs. Any prices give a bound; better ones a higher one.
    """
    valid = classes.of_item >= 0
    items = np.nonzero(valid)[0]
    places = classes.of_item[valid]
    excess = (classes.cost[classes.pattern] - prices[:, None])[valid]
    order = np.lexsort((excess, places))
    places, excess, many = places[order], excess[order], amounts[items[order]]
    starts = np.flatnonzero(np.concatenate([[True], places[1:] != places[:-1]]))
    within = np.cumsum(many) - many
    before = within - np.repeat(within[starts], np.diff(np.append(starts, len(places))))
    taken = np.where(excess < 0, many, np.clip(k - before, 0, many))
    values = np.add.reduceat(taken * excess, starts)
    values[np.add.reduceat(many, starts) < k] = 0.0
    left_out = np.minimum(0.0, classes.beyond - prices) * amounts
    left_out[~np.isfinite(left_out)] = 0.0
    return float((prices * amounts).sum() + np.minimum(0.0, values).sum() + left_out.sum())


_MOST_ENTRIES = 25_000  # pairs of an item and a class: some tenths of a second
_FEW_ENTRIES = 1_000  # for which whole numbers are soon found too
_MOST_IN_WHOLE = 2_500  # for which they are found in some seconds; with 7,000 the first node took more than ten minutes
_NODES = 20  # of the tree of whole-number programs; a limit in steps, so that the clock decides nothing


@dataclass(frozen=True, eq=False)
class Program:
    """How many records of each item go to each class, at least cost; a class in use has at least k.

    Attributes
    ----------
    items, places
        The pairs of an item and a class that are thought of.
    costs
        What a record costs there.
    amounts
        The records of every item.
    k
        How many records have to carry a class.
    beyond
        What a record costs at least in a class that is not thought of.
    """

    items: Whole64
    places: Whole64
    costs: Doubles
    amounts: Whole64
    k: int
    beyond: float

    @classmethod
    def of(cls, classes: Classes, amounts: Whole64, k: int) -> Program:
        """Return the program of all classes with enough records, the cheapest as far as it goes."""
        valid = classes.of_item >= 0
        number = len(classes.mask_of)
        sizes = np.bincount(classes.of_item[valid], np.broadcast_to(amounts[:, None], valid.shape)[valid], number)
        valid &= sizes[np.where(valid, classes.of_item, 0)] >= k
        costs = classes.cost[classes.pattern]
        beyond = classes.beyond
        if int(valid.sum()) > _MOST_ENTRIES:
            steps, many = np.unique(costs[valid], return_counts=True)
            fits = steps[np.cumsum(many) <= _MOST_ENTRIES]
            beyond = min(beyond, float(steps[len(fits)]))
            valid &= costs < beyond
        return cls._of_entries(classes, amounts, k, valid, beyond)

    @classmethod
    def over(cls, classes: Classes, amounts: Whole64, k: int, places: Collection[int]) -> Program:
        """Return the program of some classes only."""
        valid = np.isin(classes.of_item, np.fromiter(places, np.int64, len(places)))
        return cls._of_entries(classes, amounts, k, valid, np.inf)

    @classmethod
    def _of_entries(
        cls, classes: Classes, amounts: Whole64, k: int, valid: NDArray[np.bool_], beyond: float
    ) -> Program:
        items, columns = np.nonzero(valid)
        costs = classes.cost[classes.pattern[items], columns]
        return cls(items, classes.of_item[items, columns], costs, amounts, k, beyond)

    def prices(self) -> tuple[Doubles, set[int]] | None:
        """Return the prices of records in the best fractional solution, and the classes it uses; None without one."""
        from scipy.optimize import linprog  # type: ignore[import-untyped]  # here, to keep start-up quick
        from scipy.sparse import vstack  # type: ignore[import-untyped]

        used, equal, at_least, within = self._matrices()
        objective, most = self._objective(len(used)), self._most(len(used))
        solution = linprog(
            objective,
            A_eq=equal,
            b_eq=self.amounts,
            A_ub=vstack([-at_least, within]),
            b_ub=np.zeros(at_least.shape[0] + within.shape[0]),
            bounds=np.column_stack([np.zeros(len(most)), most]),
            method="highs",
        )
        if solution.x is None:
            return None
        share = solution.x[len(self.items) : len(self.items) + len(used)]
        return np.asarray(solution.eqlin.marginals), set(used[share > 1e-6].tolist())

    def best(self) -> tuple[Whole64, float] | None:
        """Return how many records each pair has in the best solution found, and what none costs less than."""
        from scipy.optimize import Bounds, LinearConstraint, milp

        used, equal, at_least, within = self._matrices()
        most = self._most(len(used))
        solution = milp(
            self._objective(len(used)),
            constraints=[
                LinearConstraint(equal, self.amounts, self.amounts),
                LinearConstraint(at_least, 0, np.inf),
                LinearConstraint(within, -np.inf, 0),
            ],
            bounds=Bounds(0, most),
            integrality=np.ones(len(most)),
            options={"node_limit": _NODES},
        )
        if solution.x is None:
            return None
        return np.rint(solution.x[: len(self.items)]).astype(np.int64), float(solution.mip_dual_bound)

    @property
    def is_small(self) -> bool:
        """Whether it has all classes and can be solved as a whole."""
        return len(self.items) <= _FEW_ENTRIES and not np.isfinite(self.beyond)

    @property
    def takes_seconds(self) -> bool:
        """Whether `best` takes seconds, not minutes."""
        return len(self.items) <= _MOST_IN_WHOLE

    @property
    def _escapes(self) -> int:
        return len(self.amounts) if np.isfinite(self.beyond) else 0

    def _objective(self, used: int) -> Doubles:
        return np.concatenate([self.costs, np.zeros(used), np.full(self._escapes, self.beyond)])

    def _most(self, used: int) -> Doubles:
        escapes = self.amounts if self._escapes else np.zeros(0)
        return np.concatenate([self.amounts[self.items], np.ones(used), escapes]).astype(np.float64)

    def _matrices(self) -> tuple[Whole64, Any, Any, Any]:
        """Return the classes, and the rows: all records are somewhere, k in a class in use, none in another."""
        from scipy.sparse import csr_matrix

        used, place = np.unique(self.places, return_inverse=True)
        pairs, classes = len(self.items), len(used)
        columns = pairs + classes + self._escapes
        each, every = np.arange(pairs), np.arange(classes)
        last = np.arange(self._escapes)
        equal = csr_matrix(
            (
                np.ones(pairs + self._escapes),
                (np.concatenate([self.items, last]), np.concatenate([each, pairs + classes + last])),
            ),
            (len(self.amounts), columns),
        )
        at_least = csr_matrix(
            (
                np.concatenate([np.ones(pairs), np.full(classes, -float(self.k))]),
                (np.concatenate([place, every]), np.concatenate([each, pairs + every])),
            ),
            (classes, columns),
        )
        within = csr_matrix(
            (
                np.concatenate([np.ones(pairs), -self.amounts[self.items].astype(np.float64)]),
                (np.concatenate([each, each]), np.concatenate([each, pairs + place])),
            ),
            (pairs, columns),
        )
        return used, equal, at_least, within
