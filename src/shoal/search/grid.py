"""A grid, from coarse to fine: whenever the time is up, every method has been searched about equally finely."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from typing import Any

from shoal.search.space import Settings, Space
from shoal.search.trial import History, Trial, key_of

__all__ = ["GridSearch"]


class GridSearch:
    """All settings of all spaces, those nearest to the start first.

    The level of a value is how often the distances between the start and the ends of the parameter are halved to reach
    it; the level of settings is the sum over their parameters, as in a sparse grid. Each parameter varies by itself
    before two vary together. All methods go through a level together, in an order drawn from the seed.
    """

    def __init__(self, spaces: Sequence[Space], seed: int) -> None:
        ordered: list[tuple[int, float, int, dict[str, Any]]] = []
        for place, space in enumerate(spaces):
            by_level: dict[int, list[dict[str, Any]]] = {}
            for level, settings in space.grid():
                by_level.setdefault(level, []).append(settings)
            for level, alike in by_level.items():
                random.Random(f"{seed} {space.name} {level}").shuffle(alike)
                shares = [(number + 0.5) / len(alike) for number in range(len(alike))]
                ordered += [(level, share, place, one) for share, one in zip(shares, alike, strict=True)]
        ordered.sort(key=lambda one: one[:3])
        self._left: list[Settings] = [one[3] for one in reversed(ordered)]
        self._pending = {key_of(one): one["method"] for one in self._left}
        self._history = History()

    @property
    def left(self) -> int:
        """How many settings there are still to try."""
        counts = Counter(self._pending.values())
        return sum(count for method, count in counts.items() if not self._history.is_hopeless(method))

    def ask(self) -> Settings | None:
        """Return the next settings; None if there are no more."""
        while self._left:
            settings = self._left.pop()
            self._pending.pop(key_of(settings), None)
            if self._history.is_worth_evaluating(settings):
                return settings
        return None

    def tell(self, trial: Trial) -> None:
        """Record what came of settings, which are not proposed again."""
        self._history.record(trial)
        self._pending.pop(key_of(trial.settings), None)
