"""Records found again by their distance."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from shoal.describe.roles import as_names
from shoal.errors import ColumnError, nearest_name_hint
from shoal.measure.measure import About, Figure, file_measure
from shoal.measure.pairs import Pair
from shoal.measure.risk.counterparts import search_by_tree, search_through
from shoal.measure.risk.sample_size import sample_size
from shoal.measure.risk.standing import Standing, stand, telling_columns
from shoal.parameters.limits import OneOf, OrNone, Whole, check_limits
from shoal.progress import share

__all__ = ["distance_linkage", "linkage_over_subsets"]

_FOR_SUBSETS = 7  # attributes that an intruder may know: 127 subsets
_WORTH_A_TREE = 10**8  # differences: a quarter of a second's work without one


@file_measure(
    About(
        name="distance_linkage",
        title="Distance-based record linkage",
        definition="Percentage of records whose nearest record in the other file is their own. Variables are "
        "standardised; categories that differ count 1 in the squared distance. By default every original record is "
        "looked for in the masked file, each file on its own scale, and of several nearest records one is drawn.",
        reference="Domingo-Ferrer and Torra (2001), A quantitative comparison of disclosure control methods for "
        "microdata, in Confidentiality, Disclosure, and Data Access",
        range=(0.0, 100.0),
        better="lower",
        side="risk",
        unit="%",
    )
)
def distance_linkage(
    files: Pair,
    *,
    direction: Literal["original-to-masked", "masked-to-original"] = "original-to-masked",
    ties: Literal["expected", "any", "unique"] = "expected",
    known: Literal["subsets"] | Iterable[str] | None = None,
    scale: Literal["own", "original"] = "own",
    sample: int | None = 2_000,
    seed: int = 0,
) -> Figure:
    """Return the percentage of records that an intruder links correctly by their distance.

    The figure has the value for each rule on ties (`.expected`, `.any`, `.unique`), the number of `.records` without
    a gap, the columns used (`.known`), and how many records were `.sampled` for each subset, None if all were looked
    for. With ``known="subsets"``, `.by_number` has the average for every number of known variables.

    Parameters
    ----------
    files
        The two files.
    direction
        Which records are looked for, and in which file. The intruder who knows people and searches the released file
        is "original-to-masked".
    ties
        What several nearest records count, if the true one is among them: one over their number ("expected"), one
        ("any"), or nothing ("unique").
    known
        The columns the intruder knows, by default all. "subsets" gives the average over all subsets of the first
        seven (127 of them). Columns that do not vary in the original are left out.
    scale
        Whether the masked file is standardised with its own mean and standard deviation or with the original's.
    sample
        How many records are looked for with each of the subsets if the file has more than 20,000; None for all. They
        are searched in the whole file, so that the sample makes the average less certain, not larger or smaller.
    seed
        The seed of that sample.
    """
    check_limits(
        {
            "direction": OneOf(("original-to-masked", "masked-to-original")),
            "ties": OneOf(("expected", "any", "unique")),
            "scale": OneOf(("own", "original")),
            "sample": OrNone(Whole(1)),
            "seed": Whole(0),
        },
        {"direction": direction, "ties": ties, "scale": scale, "sample": sample, "seed": seed},
    )
    names = _known_columns(files, known)
    standing = stand(files, names, own_scale=scale == "own")
    records = len(standing.original)
    by_subset = isinstance(known, str) and known == "subsets"
    subsets = _subsets(names) if by_subset else [tuple(names)]
    sampled = sample_size(records, sample) if by_subset else None
    work = records * (sampled or records) * sum(len(subset) for subset in subsets)

    found: list[dict[str, float]] = []
    for subset, rows in zip(subsets, _rows_to_look_for(records, sampled, seed), strict=False):
        with share(1 / len(subsets)):
            found.append(_found(standing.only(subset), direction, rows, by_tree=work > _WORTH_A_TREE))
    average = {rule: float(np.mean([one[rule] for one in found])) for rule in found[0]}
    parts: dict[str, Any] = {"direction": direction, "ties": ties, "records": records, "sampled": sampled}
    parts |= average | {"known": list(names)}
    if by_subset:
        parts["by_number"] = {
            str(number): float(
                np.mean([one[ties] for one, subset in zip(found, subsets, strict=True) if len(subset) == number])
            )
            for number in range(1, len(names) + 1)
        }
    return Figure(average[ties], **parts)


@file_measure(
    About(
        name="linkage_over_subsets",
        title="Linkage over subsets of variables",
        definition="Distance-based record linkage by an intruder who knows some of the first seven variables: the "
        "average over all their subsets. In files of more than 20,000 records a sample is looked for with each subset, "
        "in the whole file.",
        reference="Domingo-Ferrer and Torra (2001), A quantitative comparison of disclosure control methods for "
        "microdata, in Confidentiality, Disclosure, and Data Access",
        range=(0.0, 100.0),
        better="lower",
        side="risk",
        unit="%",
    )
)
def linkage_over_subsets(
    files: Pair,
    *,
    direction: Literal["original-to-masked", "masked-to-original"] = "original-to-masked",
    ties: Literal["expected", "any", "unique"] = "expected",
    scale: Literal["own", "original"] = "own",
    sample: int | None = 2_000,
    seed: int = 0,
) -> Figure:
    """Return ``distance_linkage(..., known="subsets")``, whose other options it takes."""
    return distance_linkage.of(
        files, known="subsets", direction=direction, ties=ties, scale=scale, sample=sample, seed=seed
    )


def _known_columns(files: Pair, known: Any) -> list[str]:
    """Return the columns to link by: those that vary, of the ones the intruder knows."""
    telling = telling_columns(files)
    if known is None:
        return telling
    if isinstance(known, str) and known == "subsets":
        return telling[:_FOR_SUBSETS]
    asked = [str(name) for name in as_names(known, "known")]
    for name in asked:
        if name not in files.columns:
            hint = nearest_name_hint(name, files.columns)
            raise ColumnError(f'known: "{name}" is not among the columns that are compared.{hint}')
    if not asked:
        raise ColumnError("known: no column is named.")
    return [name for name in telling if name in asked]


def _subsets(names: Sequence[str]) -> list[tuple[str, ...]]:
    return [subset for number in range(1, len(names) + 1) for subset in combinations(names, number)]


def _rows_to_look_for(records: int, sampled: int | None, seed: int) -> Iterator[NDArray[np.int64] | slice]:
    """Yield the rows for one subset after the other: all of them, or the next few of a random order.

    Other records for every subset make the average more certain than the same for all.
    """
    if sampled is None:
        while True:
            yield slice(None)
    order = np.random.default_rng(seed).permutation(records)
    start = 0
    while True:
        yield order.take(np.arange(start, start + sampled), mode="wrap")
        start += sampled


def _found(standing: Standing, direction: str, rows: NDArray[np.int64] | slice, *, by_tree: bool) -> dict[str, float]:
    """Return the percentage found, under each rule on ties."""
    one, other = standing.original, standing.masked
    if direction == "masked-to-original":
        one, other = other, one
    search = search_by_tree if by_tree else search_through
    ties = search(one[rows], other[rows], other, standing.numbers)
    return {
        "expected": 100 * float(np.where(ties > 0, 1 / np.maximum(ties, 1), 0.0).mean()),
        "any": 100 * float((ties > 0).mean()),
        "unique": 100 * float((ties == 1).mean()),
    }
