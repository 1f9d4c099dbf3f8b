"""Distance-based record linkage: records linked to the nearest record of the other file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from math import comb
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from shoal.describe.roles import as_names
from shoal.errors import ColumnError, nearest_name_hint
from shoal.measure.measure import About, MeasuredValue, file_measure
from shoal.measure.pairs import Pair
from shoal.measure.publication import Publication
from shoal.measure.risk.counterparts import search_by_tree, search_through
from shoal.measure.risk.sample_size import sample_size
from shoal.measure.risk.standardized_records import StandardizedRecords, standardized_records, varying_columns
from shoal.parameters.limits import OneOf, OrNone, Whole, check_limits
from shoal.progress import share

__all__ = ["distance_linkage", "linkage_over_subsets"]

_FOR_SUBSETS = 7  # variables that an intruder may know: 127 subsets
_WORTH_A_TREE = 10**8  # differences: a quarter of a second's work without one


@file_measure(
    About(
        name="distance_linkage",
        title="Distance-based record linkage",
        definition="Percentage of records whose nearest record in the other file is their own. Variables are "
        "standardised; categories that differ count 1 in the squared distance. By default every original record is "
        "looked for in the masked file, each file on its own scale, and one of several nearest records is drawn at "
        "random.",
        reference="Domingo-Ferrer and Torra (2001), A quantitative comparison of disclosure control methods for "
        "microdata, in Confidentiality, Disclosure, and Data Access",
        range=(0.0, 100.0),
        better="lower",
        side="risk",
        unit="%",
        counts="records",
        slow=False,
        work=10,
        publication=Publication.AS_MEASURED,
    ),
    takes=("seed",),
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
) -> MeasuredValue:
    """Return the percentage of records that an intruder links correctly by their distance.

    Its parts are the percentage for each rule on ties (`.expected`, `.any`, `.unique`), the number of `.records`
    without a missing value, the columns used (`.known`), and how many records were `.sampled` for each subset, None if
    all were looked for. With ``known="subsets"``, `.by_number` has the average for every number of known variables.

    Parameters
    ----------
    files
        The two files.
    direction
        Which records are looked for, and in which file. The intruder who knows people and searches the released file
        is "original-to-masked".
    ties
        How much a record counts if several are nearest and the true one is among them: one over their number
        ("expected"), one ("any"), or nothing ("unique").
    known
        The columns that the intruder knows, all by default. "subsets" gives the average over all subsets of the first
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
    both = standardized_records(files, names, own_scale=scale == "own")
    records = len(both.original)
    over_subsets = isinstance(known, str) and known == "subsets"
    subsets = _subsets(names) if over_subsets else [tuple(names)]
    sampled = sample_size(records, sample) if over_subsets else None
    work = records * (sampled or records) * sum(len(subset) for subset in subsets)

    by_subset: list[dict[str, float]] = []
    for subset, rows in zip(subsets, _rows_to_look_for(records, sampled, seed), strict=False):
        with share(1 / len(subsets)):
            by_subset.append(_linked(both.only(subset), direction, rows, by_tree=work > _WORTH_A_TREE))
    average = {rule: float(np.mean([linked[rule] for linked in by_subset])) for rule in by_subset[0]}
    parts: dict[str, Any] = {"direction": direction, "ties": ties, "records": records, "sampled": sampled}
    parts |= average | {"known": list(names)}
    if over_subsets:
        by_number = {
            number: [linked[ties] for linked, subset in zip(by_subset, subsets, strict=True) if len(subset) == number]
            for number in range(1, len(names) + 1)
        }
        parts["by_number"] = {str(number): float(np.mean(percentages)) for number, percentages in by_number.items()}
    return MeasuredValue(average[ties], **parts)


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
        counts="records",
        slow=True,
        work=20,
        publication=Publication.FROM_PUBLISHED,
    ),
    takes=("seed",),
)
def linkage_over_subsets(
    files: Pair,
    *,
    direction: Literal["original-to-masked", "masked-to-original"] = "original-to-masked",
    ties: Literal["expected", "any", "unique"] = "expected",
    scale: Literal["own", "original"] = "own",
    sample: int | None = 2_000,
    seed: int = 0,
) -> MeasuredValue:
    """Return ``distance_linkage(..., known="subsets")``, whose other options it takes."""
    return distance_linkage.of(
        files, known="subsets", direction=direction, ties=ties, scale=scale, sample=sample, seed=seed
    )


@linkage_over_subsets.from_published
def _of_published(parts: Mapping[str, Any], published: Callable[[str, float], float]) -> MeasuredValue:
    """Return the average of the percentages that are published for every number of known variables."""
    name = linkage_over_subsets.about.name
    by_number = {number: published(name, percentage) for number, percentage in parts["by_number"].items()}
    subsets = [comb(len(by_number), int(number)) for number in by_number]
    total = sum(count * percentage for count, percentage in zip(subsets, by_number.values(), strict=True))
    return MeasuredValue(total / sum(subsets), **{**parts, "by_number": by_number})


def _known_columns(files: Pair, known: Any) -> list[str]:
    """Return the columns to link by: those that the intruder knows and that vary."""
    varying = varying_columns(files)
    if known is None:
        return varying
    if isinstance(known, str) and known == "subsets":
        return varying[:_FOR_SUBSETS]
    names = [str(name) for name in as_names(known, "known")]
    for name in names:
        if name not in files.columns:
            hint = nearest_name_hint(name, files.columns)
            raise ColumnError(f'known: "{name}" is not among the columns that are compared.{hint}')
    if not names:
        raise ColumnError("known names no column. Name one, or leave it out if the intruder knows all.")
    return [name for name in varying if name in names]


def _subsets(names: Sequence[str]) -> list[tuple[str, ...]]:
    return [subset for number in range(1, len(names) + 1) for subset in combinations(names, number)]


def _rows_to_look_for(records: int, sampled: int | None, seed: int) -> Iterator[NDArray[np.int64] | slice]:
    """Yield the rows for one subset after the other: all of them, or the next few in a random order.

    Different records for every subset give a more precise average than the same records for all.
    """
    if sampled is None:
        while True:
            yield slice(None)
    order = np.random.default_rng(seed).permutation(records)
    start = 0
    while True:
        yield order.take(np.arange(start, start + sampled), mode="wrap")
        start += sampled


def _linked(
    both: StandardizedRecords, direction: str, rows: NDArray[np.int64] | slice, *, by_tree: bool
) -> dict[str, float]:
    """Return the percentage of the rows linked correctly, under each rule on ties."""
    sought, searched = both.original, both.masked
    if direction == "masked-to-original":
        sought, searched = searched, sought
    search = search_by_tree if by_tree else search_through
    ties = search(sought[rows], searched[rows], searched, both.numbers)
    return {
        "expected": 100 * float(np.where(ties > 0, 1 / np.maximum(ties, 1), 0.0).mean()),
        "any": 100 * float((ties > 0).mean()),
        "unique": 100 * float((ties == 1).mean()),
    }
