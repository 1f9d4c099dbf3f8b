"""How many records of a sample are linked to their own, each searched for in the whole release."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from shoal.errors import NotApplicableError
from shoal.measure.measure import MeasuredValue
from shoal.measure.risk.sample_size import sample_size, sampling_parts
from shoal.scale.cluster import Cluster
from shoal.scale.input.moments import ExactMoments
from shoal.scale.input.row_hashes import hashed_numbers
from shoal.scale.measured.passes.first_pass import FirstPass
from shoal.scale.released.linked import LinkageSpace, as_near_in, ties_of, write_sought
from shoal.scale.scattered import row_numbers

__all__ = ["Sought", "linkage_by", "sought_of"]

_SAMPLE = 10_000  # as `distance_linkage` has it
_NO_SPREAD = 1e-9  # in standard deviations of the original


@dataclass(frozen=True)
class Sought:
    """The records that an intruder looks for: as they were, and what is released of them."""

    before: Any
    after: Any
    sampled: int | None


def sought_of(before: Any, after: Any, records: int, seed: int) -> Sought:
    """Return the records to look for out of a sample: all of a small file, otherwise some of them.

    Parameters
    ----------
    before, after
        Rows drawn at random, of both files.
    records
        How many records the file has.
    seed
        What decides the sample; 0 gives those that the headline of a release looks for.
    """
    import pyarrow

    sampled = sample_size(records, _SAMPLE)
    if sampled is None:
        return Sought(before, after, None)
    rows = row_numbers(before)
    order = np.lexsort((rows, hashed_numbers(rows, 11 + 2 * seed)))[:sampled]
    places = pyarrow.array(np.sort(order))
    return Sought(before.take(places), after.take(places), sampled)


def linkage_by(
    cluster: Cluster,
    columns: Sequence[str],
    numbers: Sequence[str],
    first: FirstPass,
    sought: Sought,
    paths: Sequence[Path],
    folder: Path,
) -> MeasuredValue:
    """Return the percentage of records that are linked by some columns, with the parts of `distance_linkage`.

    Parameters
    ----------
    cluster
        The workers.
    columns, numbers
        The columns, and those of all that are compared as numbers.
    first
        What the first pass found.
    sought
        The records to look for.
    paths, folder
        Files with the rows of the release, and a private folder that workers see.

    Raises
    ------
    NotApplicableError
        Nothing tells records apart.
    """
    space, known = _space(columns, numbers, first)
    path = folder / f"sought-{secrets.token_hex(6)}.npz"
    write_sought(path, space, sought.before, sought.after)
    found = cluster.map(as_near_in, paths, space, path, doing="looking for records in the release")
    ties = ties_of(found)
    linked = {
        "expected": np.where(ties > 0, 1 / np.maximum(ties, 1), 0.0),
        "any": (ties > 0).astype(np.float64),
        "unique": (ties == 1).astype(np.float64),
    }
    average = {rule: 100 * float(counted.mean()) for rule, counted in linked.items()}
    parts: dict[str, Any] = {"direction": "original-to-masked", "ties": "expected", "records": first.records}
    parts |= sampling_parts(sought.sampled, [linked["expected"]], first.records)
    return MeasuredValue(average["expected"], **parts, **average, known=known)


def _space(columns: Sequence[str], numbers: Sequence[str], first: FirstPass) -> tuple[LinkageSpace, list[str]]:
    """Return what distances are taken in, and the columns that vary, by which records are told apart."""
    varying = [name for name in columns if _varies(name, name in numbers, first)]
    if not varying:
        raise NotApplicableError("This measure needs a variable that varies; these are all constant.")
    of_numbers = [name for name in varying if name in numbers]
    scales = {
        name: (first.before[name].scale, (first.after if _has_spread(name, first) else first.before)[name].scale)
        for name in of_numbers
        if first.before[name].varies
    }
    absent = [name for name in of_numbers if first.before[name].missing or first.after[name].missing]
    return LinkageSpace(scales, absent, [name for name in varying if name not in numbers]), varying


def _varies(name: str, is_number: bool, first: FirstPass) -> bool:
    """Whether a column has several values in the original, of which a missing one is one."""
    if is_number:
        return first.before[name].varies or 0 < first.before[name].missing < first.records
    return first.hashes[name][0] != first.hashes[name][1]


def _has_spread(name: str, first: FirstPass) -> bool:
    """Whether the values of the release have any spread that is not rounding."""
    before: ExactMoments = first.before[name]
    after: ExactMoments = first.after[name]
    if not after.varies:
        return False
    ends = before.scale.apply(np.array([after.lowest, after.highest]))
    return bool(ends[1] - ends[0] > _NO_SPREAD)
