"""Representatives that keep the rules of a block: sums computed anew, whole numbers, sums and products projected."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from shoal.edits.evaluation import TOLERANCE, Columns, holds
from shoal.edits.keep.atoms import Atom, Linear, Product
from shoal.edits.keep.block_edits import BlockEdits
from shoal.edits.keep.cells import Cells
from shoal.edits.keep.last_digit import dependents, settle
from shoal.replace import GeometricMean, Mean, Members

__all__ = ["geometric_means", "kept_by"]

Doubles = NDArray[np.float64]


def kept_by(
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
        What the rules ask of the block.
    cells
        Where which alternatives hold.
    computed
        The columns, each group's representative in all its records.
    labels
        The group of every record, 0 to g-1.
    spreads
        The standard deviation of every column in the original file: what "near" is measured in.
    repair
        Whether representatives are moved to where sums hold that did not hold in the file.
    """
    first = np.unique(labels, return_index=True)[1]
    cell_of_group = cells.codes[first]
    found = {name: computed[name][first] for name in edits.movable}
    for alike in cells.alike():
        groups = np.isin(cell_of_group, alike)
        part = {name: column[groups] for name, column in found.items()}
        for name, column in _kept(edits, cells.atoms[alike[0]], part, spreads, repair).items():
            found[name][groups] = column
    return {name: found[name][labels] if name in found else column for name, column in computed.items()}


def geometric_means(
    columns: Mapping[str, Doubles], members: Members, weights: Doubles | None, rng: np.random.Generator
) -> dict[str, Doubles]:
    """Return geometric means with the sign of the group; plain means where signs differ, in all columns alike."""
    starts = members.starts[:-1]
    signs = {name: np.sign(column[members.records]) for name, column in columns.items()}
    same = np.ones(len(starts), dtype=bool)
    for sign in signs.values():
        same &= np.minimum.reduceat(sign, starts) == np.maximum.reduceat(sign, starts)
    found = {}
    for name, column in columns.items():
        plain = Mean().representatives(column, members, rng=rng, weights=weights, column=name)
        sizes = np.where(column == 0, 1.0, np.abs(column))
        powers = GeometricMean().representatives(sizes, members, rng=rng, weights=weights, column=name)
        found[name] = np.where(same, signs[name][starts] * powers, plain)
    return found


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
    settled = settle(values, active, edits.movable, whole=edits.whole)
    if edits.joint:
        settled = _projected(values, settled, active, spreads)
    apart = ~_all_hold(active, settled)
    if apart.any() and not edits.whole.intersection(name for atom in active for name in atom.variables):
        some = {name: column[apart] for name, column in values.items()}
        begin = {name: column[apart] for name, column in settled.items()}
        for name, column in _projected(some, begin, active, spreads).items():
            settled[name][apart] = column
    if not _all_hold(active, settled, tolerance=0.0).all():
        # All rules hold: only digits are left to settle, so that any variable may follow from the others.
        by_sight = dependents(active, edits.movable, edits.whole, by_sight=True)
        settled = settle(settled, active, edits.movable, by_sight)
    return settled


def _within(numbers: Doubles, name: str, atoms: Sequence[Linear | Product]) -> Doubles:
    """Return whole numbers within the bounds that the variable has by itself."""
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
    return np.asarray(np.logical_and.reduce([holds(atom.source, Columns(values), tolerance) for atom in atoms]))


def _projected(
    values: Mapping[str, Doubles],
    start: Mapping[str, Doubles],
    atoms: Sequence[Linear | Product],
    spreads: Mapping[str, float],
) -> dict[str, Doubles]:
    """Return the nearest values that keep all atoms; where none are found, those to start from."""
    from shoal.edits.keep.joint_projection import System, project

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
        logs=np.array([-np.log(abs(atom.factor)) for atom in products]),
    )
    points, begin = (np.column_stack([one[name] for name in names]) for one in (values, start))
    begin = np.where(np.isfinite(begin), begin, points)
    scale = np.array([spreads[name] or 1.0 for name in names])
    projected, reached = project(points, begin, scale, system)
    projected = np.where(reached[:, None], projected, begin)
    return {**start, **{name: projected[:, place].copy() for place, name in enumerate(names)}}
