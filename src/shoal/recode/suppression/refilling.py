"""Classes emptied and filled again where that costs less."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from shoal.recode.suppression.filling import Filling

__all__ = ["refill", "send_spared_back"]

_TOGETHER = 4  # classes that are emptied at once, at most
_SHAKEN = 0.3  # the costs by which classes are ordered vary by that much
_NEAR_SETS, _NEAR_ITEMS = 12, 50  # where other classes to empty are looked for


def refill(filling: Filling, tries: int, rng: np.random.Generator) -> None:
    """Empty some classes that share items and fill them again in another order, and keep what costs no more.

    Parameters
    ----------
    filling
        Classes that are all carried by k, or empty; they are changed.
    tries
        How often a class may be filled.
    rng
        What the orders are drawn from.
    """
    placement = filling.placement
    send_spared_back(filling, range(len(placement.amounts)))
    most = filling.tried + tries
    while filling.tried < most:
        places = sorted(place for place in placement.members if _is_suppressed(filling, place))
        if not places:
            return
        filling.tried += 1
        for place in rng.permutation(places).tolist():
            if filling.tried < most and _is_suppressed(filling, place):
                _refill_around(filling, place, rng)


def send_spared_back(filling: Filling, items: Iterable[int]) -> None:
    """Move records that their class can spare to the cheapest class that is carried by k."""
    placement = filling.placement
    for item in items:
        for place in list(placement.places[item]):
            cost, target = placement.cost_of(item, place), place
            if cost == 0.0 or not (amount := placement.spared(item, place)):
                continue
            for other in filling.classes.of_item[item].tolist():
                if other >= 0 and placement.carriers(other) >= filling.k and placement.cost_of(item, other) < cost:
                    cost, target = placement.cost_of(item, other), other
            if target != place:
                placement.move(item, amount, place, target)


def _is_suppressed(filling: Filling, place: int) -> bool:
    return any(filling.placement.home[item] != place for item in filling.placement.members.get(place, ()))


def _refill_around(filling: Filling, place: int, rng: np.random.Generator) -> None:
    placement = filling.placement
    before, length = placement.cost, len(placement.journal)
    touched: set[int] = set()
    for one in [place, *_related(filling, place, rng)]:
        for item, amount in list(placement.members[one].items()):
            touched.add(item)
            if placement.home[item] != one:
                placement.move(item, amount, one, placement.home[item])
    shake = (1 + _SHAKEN * rng.random(997)).tolist()
    filled = filling.fill_for(filling.short_items(sorted(touched)), shake)
    if filled:
        send_spared_back(filling, sorted({item for item, *_ in placement.journal[length:]}))
    if not filled or placement.cost > before + 1e-9:
        placement.take_back(length)
        placement.cost = before


def _related(filling: Filling, place: int, rng: np.random.Generator) -> list[int]:
    """Return some other classes with suppressed cells that hold items near those of a class."""
    placement = filling.placement
    near: set[int] = set()
    for item in placement.members[place]:
        if placement.home[item] == place:
            continue
        for other in filling.classes.of_item[item, :_NEAR_SETS].tolist():
            for one in filling.group(other)[:_NEAR_ITEMS] if other >= 0 else ():
                near.update(there for there in placement.places[one] if placement.home[one] != there)
    places = np.array(sorted(near - {place}), dtype=np.int64)
    drawn: list[int] = rng.permutation(places)[: int(rng.integers(1, _TOGETHER + 1))].tolist()
    return drawn
