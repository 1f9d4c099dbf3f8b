"""Representatives that keep the rules of a block.

Dependent variables are computed, whole numbers rounded, and points that break a rule moved to the nearest ones that
keep it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from shoal.arithmetic import log
from shoal.edits.atoms import Atom, Linear, Product
from shoal.edits.checked_records import NumericRecords
from shoal.edits.evaluation import TOLERANCE, holds
from shoal.edits.keep.block_edits import BlockEdits
from shoal.edits.keep.cells import Cells
from shoal.edits.keep.joint_projection import System, project
from shoal.edits.keep.last_digit import dependents, to_last_digit

__all__ = ["kept_representatives"]

Doubles = NDArray[np.float64]


def kept_representatives(
    edits: BlockEdits,
    cells: Cells,
    computed: Mapping[str, Doubles],
    labels: NDArray[np.int64],
    spreads: Mapping[str, float],
    *,
    repair: bool,
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
    spreads
        The standard deviation of every column in the original file: the unit in which distances are measured.
    repair
        Whether representatives are moved to where sums and bounds hold that the file breaks.
    """
    first = np.unique(labels, return_index=True)[1]
    cell_of_group = cells.codes[first]
    representatives = {name: computed[name][first] for name in edits.movable}
    for alike in cells.alike():
        groups = np.isin(cell_of_group, alike)
        part = {name: column[groups] for name, column in representatives.items()}
        for name, column in _kept(edits, cells.atoms[alike[0]], part, spreads, repair).items():
            representatives[name][groups] = column
    return {
        name: representatives[name][labels] if name in representatives else column for name, column in computed.items()
    }


def _kept(
    edits: BlockEdits, atoms: Sequence[Atom], values: dict[str, Doubles], spreads: Mapping[str, float], repair: bool
) -> dict[str, Doubles]:
    """Return the representatives of groups in which the same atoms hold, with all of them kept."""
    active = [atom for atom in atoms if isinstance(atom, Linear | Product) and set(atom.variables) <= set(values)]
    if repair:
        values = _projected(values, values, [atom for atom in active if isinstance(atom, Linear)], spreads)
    for name in edits.whole:
        values[name] = _within(np.rint(values[name]), name, active)
    if not active:
        return values
    kept = to_last_digit(values, active, edits.movable, whole=edits.whole)
    if edits.joint:
        kept = _projected(values, kept, active, spreads)
    wrong = ~_all_hold(active, kept)
    if wrong.any() and not edits.whole.intersection(name for atom in active for name in atom.variables):
        some = {name: column[wrong] for name, column in values.items()}
        start = {name: column[wrong] for name, column in kept.items()}
        for name, column in _projected(some, start, active, spreads).items():
            kept[name][wrong] = column
    if not _all_hold(active, kept, tolerance=0.0).all():
        # All rules hold up to rounding: only last digits move, so that any variable may be the dependent one.
        order = dependents(active, edits.movable, edits.whole, alone_first=True)
        kept = to_last_digit(kept, active, edits.movable, order)
    return kept


def _within(numbers: Doubles, name: str, atoms: Sequence[Linear | Product]) -> Doubles:
    """Return whole numbers moved within the bounds that rules put on their variable alone."""
    for atom in atoms:
        if isinstance(atom, Linear) and atom.relation != "==" and set(atom.variables) == {name}:
            bound = atom.constant / atom.coefficients[name]
            strict = float(atom.relation == "<" and bound.is_integer())
            if atom.coefficients[name] > 0:
                numbers = np.minimum(numbers, np.floor(bound) - strict)
            else:
                numbers = np.maximum(numbers, np.ceil(bound) + strict)
    return numbers


def _all_hold(
    atoms: Sequence[Linear | Product], values: Mapping[str, Doubles], tolerance: float = TOLERANCE
) -> NDArray[np.bool_]:
    return np.asarray(np.logical_and.reduce([holds(atom.source, NumericRecords(values), tolerance) for atom in atoms]))


def _projected(
    values: Mapping[str, Doubles],
    start: Mapping[str, Doubles],
    atoms: Sequence[Linear | Product],
    spreads: Mapping[str, float],
) -> dict[str, Doubles]:
    """Return the nearest values that keep all atoms, as found from `start`; where there are none, those of `start`."""
    names = [name for name in values if any(name in atom.variables for atom in atoms)]
    if not names:
        return dict(start)
    sums = [atom for atom in atoms if isinstance(atom, Linear) and atom.relation == "=="]
    bounds = [atom for atom in atoms if isinstance(atom, Linear) and atom.relation != "=="]
    products = [atom for atom in atoms if isinstance(atom, Product)]

    def matrix(rows: Sequence[Mapping[str, float]]) -> Doubles:
        return np.array([[row.get(name, 0.0) for name in names] for row in rows]).reshape(len(rows), len(names))

    system = System(
        A=matrix([atom.coefficients for atom in sums]),
        b=np.array([atom.constant for atom in sums]),
        G=matrix([atom.coefficients for atom in bounds]),
        h=np.array([atom.constant for atom in bounds]),
        exponents=matrix([atom.exponents for atom in products]),
        logs=np.array([-float(log(abs(atom.factor))) for atom in products]),
    )
    points, starts = (np.column_stack([one[name] for name in names]) for one in (values, start))
    starts = np.where(np.isfinite(starts), starts, points)
    scale = np.array([spreads[name] or 1.0 for name in names])
    projected, reached = project(points, starts, scale, system)
    projected = np.where(reached[:, None], projected, starts)
    return {**start, **{name: projected[:, place].copy() for place, name in enumerate(names)}}
