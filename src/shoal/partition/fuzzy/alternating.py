"""The loop under all fuzzy clustering: memberships from centres, centres from memberships, until nothing moves.

The same code runs on NumPy and on PyTorch arrays, there on a GPU too. It needs nothing but the array library and
array-api-compat: neither scikit-learn nor numba nor a dataframe library.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace

from array_api_compat import array_namespace, device

from shoal.partition.fuzzy.centred_records import CentredRecords, Place, RecordBlock, Steps, carried_out
from shoal.partition.fuzzy.membership_rules import (
    Crisp,
    Entropic,
    Fuzzy,
    MembershipRule,
    Noisy,
    Possibilistic,
    Typicality,
    c_means_rule,
)
from shoal.partition.fuzzy.moving import added_up, move, typical_of
from shoal.partition.geometry.array_arithmetic import Array

__all__ = [
    "Alternation",
    "Crisp",
    "Entropic",
    "Fuzzy",
    "MembershipRule",
    "Noisy",
    "Possibilistic",
    "Typicality",
    "alternate",
    "alternating",
    "c_means_rule",
    "labels",
    "mean_distances",
    "memberships",
    "typicalities",
]

# Davé's delta follows the centres for this many iterations, and then stays as it is.
_DELTA_FOLLOWS = 30


@dataclass(frozen=True)
class Alternation:
    """The result of the alternating loop: where the centres ended.

    Attributes
    ----------
    centres
        The centres, c x d.
    n_iter
        How often the centres were moved.
    converged
        Whether they stopped moving.
    objective
        Its value before every move and after the last; it never rises. With Davé's rule only the values since delta
        stays are here, as the others cannot be compared.
    rule
        The rule, with delta filled in.
    """

    centres: Array
    n_iter: int
    converged: bool
    objective: list[float]
    rule: MembershipRule


def alternate(
    X: Array,
    centres: Array,
    rule: MembershipRule,
    *,
    project: Callable[[Array], Array] | None = None,
    max_iter: int = 300,
    tol: float = 1e-6,
    memory: float | None = None,
    threads: int = 1,
    after_each: Callable[[], None] | None = None,
) -> Alternation:
    """Compute memberships and centres in turn until the centres stay where they are.

    Parameters
    ----------
    X
        Matrix n x d of NumPy or PyTorch, float64 or float32.
    centres
        The start, c x d, of the same kind and on the same device.
    rule
        How distances become memberships.
    project
        Takes centres to the nearest that are allowed.
    max_iter
        The most moves.
    tol
        The centres have stopped if none moves farther than this times the root mean square distance of the records to
        their mean. What is below the precision of the numbers counts as standing still.
    memory
        Megabytes for what is computed on the way, beside `X` and a copy of it: n x c is worked on in blocks.
    threads
        For NumPy: how many blocks are worked on at a time. The result does not depend on it.
    after_each
        Called after every move.
    """
    records = CentredRecords(X, matrices=rule.matrices, memory=memory, threads=threads)
    start = array_namespace(X).asarray(centres, dtype=X.dtype)
    steps = alternating(records.place, start, rule, project=project, max_iter=max_iter, tol=tol, after_each=after_each)
    return carried_out(records, steps)


def alternating(
    place: Place,
    centres: Array,
    rule: MembershipRule,
    *,
    project: Callable[[Array], Array] | None,
    max_iter: int,
    tol: float,
    after_each: Callable[[], None] | None = None,
) -> Steps[Alternation]:
    """Do what `alternate` does with records that may be elsewhere."""
    xp, origin = place.arithmetic.xp, place.origin
    present = centres - origin
    enough = max(tol, 8 * float(xp.finfo(present.dtype).eps)) * math.sqrt(place.mean_square)
    follows = isinstance(rule, Noisy) and rule.delta is None
    objective: list[float] = []
    n_iter, converged = 0, False
    while n_iter < max_iter and not converged:
        if isinstance(rule, Noisy) and follows and n_iter < _DELTA_FOLLOWS:
            rule = replace(rule, delta=_delta(place, present, rule.lam))
            objective.clear()
        moved, value = yield from move(place, present, rule)
        if project is not None:
            moved = project(moved + origin) - origin
        converged = math.sqrt(float(xp.max(xp.sum((moved - present) ** 2, axis=1)))) <= enough
        present = moved
        objective.append(value)
        n_iter += 1
        if after_each is not None:
            after_each()
    _, value = yield from added_up(place, present, rule)
    objective.append(value)
    return Alternation(present + origin, n_iter, converged, objective, rule)


def memberships(
    X: Array, centres: Array, rule: MembershipRule, *, memory: float | None = None, threads: int = 1
) -> Array:
    """Return the memberships of the records, n x c; with noise n x (c + 1), noise in the last column."""
    width = int(centres.shape[0]) + isinstance(rule, Noisy)
    return _filled(_from_centres(X, centres, rule, memory, threads), centres, rule.memberships, width)


def labels(X: Array, centres: Array, rule: MembershipRule, *, memory: float | None = None, threads: int = 1) -> Array:
    """Return the cluster every record belongs to most, of several the first; the number of noise is c."""
    records = _from_centres(X, centres, rule, memory, threads)
    xp = records.xp
    parts = records.walk(centres - records.origin, lambda block: xp.argmax(rule.memberships(block), axis=1))
    return xp.concat(list(parts))


def mean_distances(X: Array, centres: Array, rule: Fuzzy, *, memory: float | None = None, threads: int = 1) -> Array:
    """Return the mean squared distance of the records to each centre, with the weights that centres are means with.

    It is 0 for a centre whose weights are all too small for numbers.
    """
    records = _from_centres(X, centres, rule, memory, threads)
    xp = records.xp

    def gather(block: RecordBlock) -> Array:
        distances = xp.asarray(block.distances, copy=True)
        matrix, factors, _ = rule.weigh(block)
        weights = matrix * factors[:, None]
        return xp.stack([xp.sum(part, axis=0, dtype=xp.float64) for part in (weights * distances, weights)])

    sums, totals = sum(records.walk(centres - records.origin, gather))
    return xp.where(totals > 0, sums / xp.where(totals > 0, totals, xp.ones_like(totals)), xp.zeros_like(sums))


def typicalities(
    X: Array, centres: Array, rule: Possibilistic, *, memory: float | None = None, threads: int = 1
) -> Array:
    """Return the typicalities of the records, n x c; the columns sum to one."""
    records = _from_centres(X, centres, rule, memory, threads)
    typical = typical_of(records, centres - records.origin, rule)
    total = records.xp.astype(typical.total, X.dtype)

    def typicalities_of(block: RecordBlock) -> Array:
        return rule.typify(block, typical.least)[0] / total

    return _filled(records, centres, typicalities_of, int(centres.shape[0]))


def _delta(place: Place, centres: Array, lam: float) -> float:
    """Return Davé's delta: the mean squared distance needs no pass over the records, as their mean is the origin."""
    xp = place.arithmetic.xp
    spread = place.mean_square + float(xp.mean(xp.sum(centres * centres, axis=1)))
    return math.sqrt(max(lam * spread, float(xp.finfo(centres.dtype).smallest_normal)))


def _from_centres(X: Array, centres: Array, rule: MembershipRule, memory: float | None, threads: int) -> CentredRecords:
    """Return the records, measured from the mean of the centres, so that one does not depend on the others."""
    origin = array_namespace(X).mean(centres, axis=0)
    return CentredRecords(X, matrices=rule.matrices, origin=origin, memory=memory, threads=threads)


def _filled(records: CentredRecords, centres: Array, work: Callable[[RecordBlock], Array], width: int) -> Array:
    """Return a matrix of n rows, filled with what `work` returns for every block."""
    result = records.xp.empty((records.n, width), dtype=records.rows.dtype, device=device(records.rows))

    def fill(block: RecordBlock) -> None:
        result[block.start : block.start + block.rows.shape[0], :] = work(block)

    deque(records.walk(centres - records.origin, fill), maxlen=0)
    return result
