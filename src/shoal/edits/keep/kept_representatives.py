"""Representatives that keep the rules of a block, group by group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from shoal.edits.keep.block_edits import BlockEdits
from shoal.edits.keep.cells import Cells
from shoal.edits.keep.kept_groups import KeptGroups

__all__ = ["kept_in_groups", "kept_representatives"]

Doubles = NDArray[np.float64]


def kept_representatives(
    edits: BlockEdits,
    cells: Cells,
    computed: Mapping[str, Doubles],
    labels: NDArray[np.int64],
    originals: Mapping[str, Doubles],
    *,
    selected: Mapping[str, Doubles] | None = None,
    repair: bool = False,
) -> dict[str, Doubles]:
    """Return the computed columns of a block with every rule kept in every group.

    Parameters
    ----------
    edits
        What the rules require of the block, and how they are kept.
    cells
        The cell of every record, and what holds in each cell.
    computed
        The columns whose representatives are computed, each group's representative in all its records.
    labels
        The group of every record, 0 to g-1.
    originals
        The columns of numbers in the original file.
    selected
        The columns of numbers whose representatives are values that occur, likewise. They stay as they are.
    repair
        Whether representatives are moved to where sums and bounds hold that the file breaks.

    Raises
    ------
    RuleError
        Some groups have no values near their averages that keep all rules.
    """
    first = np.unique(labels, return_index=True)[1]
    sorted_rows = np.argsort(labels, kind="stable")
    members = np.split(sorted_rows, np.flatnonzero(np.diff(labels[sorted_rows])) + 1)
    spreads = {name: float(np.std(originals[name], ddof=1)) for name in edits.movable}
    representatives = {name: computed[name][first] for name in edits.movable}
    fixed = {name: column[first] for name, column in (selected or {}).items()}
    for alike in cells.alike():
        groups = np.flatnonzero(np.isin(cells.codes[first], alike))
        kept = KeptGroups(edits, cells.atoms[alike[0]], spreads, repair)
        values = {name: column[groups] for name, column in representatives.items()}
        beside = {name: column[groups] for name, column in fixed.items()}
        found = kept_in_groups(kept, values, beside, [members[group] for group in groups], originals)
        for name in representatives:
            representatives[name][groups] = found[name]
    return {
        name: representatives[name][labels] if name in representatives else column for name, column in computed.items()
    }


def kept_in_groups(
    kept: KeptGroups,
    values: Mapping[str, Doubles],
    fixed: Mapping[str, Doubles],
    members: Sequence[NDArray[np.int64]],
    originals: Mapping[str, Doubles],
) -> dict[str, Doubles]:
    """Return the representatives of groups in which the same rules hold, moved to where they do.

    Parameters
    ----------
    kept
        What holds in the groups.
    values, fixed
        The representatives, those that may be moved and those that may not; one a group.
    members
        The records of every group, which keep the rules.
    originals
        The columns of numbers in the original file.
    """
    first = np.array([rows[0] for rows in members], dtype=np.int64)
    found = kept.nearest(values, fixed, {name: column[first] for name, column in originals.items()})
    wrong = np.flatnonzero(~kept.hold(found))
    _move_to_rules(kept, found, fixed, wrong, [members[group] for group in wrong.tolist()], originals)
    return found


def _move_to_rules(
    kept: KeptGroups,
    found: dict[str, Doubles],
    fixed: Mapping[str, Doubles],
    wrong: NDArray[np.int64],
    members: list[NDArray[np.int64]],
    originals: Mapping[str, Doubles],
) -> None:
    """Replace the values of groups that break a rule by the nearest that keep all, in place; refuse if none do."""
    left = []
    for place, rows in zip(wrong.tolist(), members, strict=True):
        values = {name: float(column[place]) for name, column in found.items()}
        beside = {name: float(column[place]) for name, column in fixed.items()}
        nearby = kept.nearest_towards(values, beside, {name: column[rows] for name, column in originals.items()})
        if nearby is None:
            left.append(place)
            continue
        for name, value in nearby.items():
            found[name][place] = value
    if left:
        kept.refuse({name: column[left] for name, column in found.items()})
