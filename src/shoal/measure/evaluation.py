"""All measures of a release at once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from shoal.errors import DataError
from shoal.measure.pairs import pair
from shoal.measure.risk.k_anonymity import k_anonymity
from shoal.measure.utility.information_loss import losses

__all__ = ["Evaluation", "evaluate"]


@dataclass(frozen=True)
class Evaluation:
    """What the protection cost (utility) and what it buys (risk).

    A measure that does not apply to these files (information loss without a numeric variable) is None.
    """

    columns: tuple[str, ...]
    records: int
    sse: float | None
    information_loss: float | None
    information_loss_by_column: dict[str, float]
    k_anonymity: int

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain numbers, texts and lists, ready for JSON."""
        return {
            "columns": list(self.columns),
            "records": self.records,
            "utility": {
                "sse": self.sse,
                "information_loss": self.information_loss,
                "information_loss_by_column": dict(self.information_loss_by_column),
            },
            "risk": {"k_anonymity": self.k_anonymity},
        }


def evaluate(
    original: Any,
    masked: Any,
    columns: Iterable[Any] | None = None,
    *,
    blocks: Iterable[Iterable[str]] | None = None,
) -> Evaluation:
    """Measure a masked file against its original.

    Parameters
    ----------
    original, masked
        Frames, arrays or paths with the same records in the same order.
    columns
        The columns to compare; all that both files have by default.
    blocks
        The blocks the columns were masked in. k is then the smallest over the blocks: across blocks records
        differ, because each block is grouped for itself.
    """
    files = pair(original, masked, columns)
    try:
        lost = losses(files)
    except DataError:
        lost = None
    return Evaluation(
        columns=files.columns,
        records=len(files.original),
        sse=lost.sse if lost else None,
        information_loss=lost.percent if lost else None,
        information_loss_by_column=lost.percent_by_column if lost else {},
        k_anonymity=min(
            k_anonymity(files.original, files.masked, columns=block) for block in (blocks or [files.columns])
        ),
    )
