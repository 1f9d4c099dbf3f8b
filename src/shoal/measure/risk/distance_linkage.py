"""Distance-based record linkage: records linked to the nearest record of the other file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from math import comb
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from shoal.errors import ColumnError, ParameterError, nearest_name_hint
from shoal.measure.measure import About, MeasuredValue, file_measure
from shoal.measure.pairs import Pair
from shoal.measure.publication import Publication
from shoal.measure.risk.counterparts import distinct_records, search_by_tree, search_in_blocks, search_through, width
from shoal.measure.risk.sample_size import sample_size, sampling_parts
from shoal.measure.risk.standardized_records import StandardizedRecords, standardized_records, varying_columns
from shoal.parameters.limits import Limit, OneOf, OrNone, Whole
from shoal.parameters.of_columns import as_names
from shoal.progress import share

__all__ = ["distance_linkage", "linkage_over_subsets"]

Doubles = NDArray[np.float64]

_FOR_SUBSETS = 7  # variables that an intruder may know: 127 subsets
_MOST_FOR_SUBSETS = 12  # 4,095 subsets
_WORTH_COMPILING = 10**8  # differences: a quarter of a second's work with NumPy
_WIDEST = 256  # columns, with an indicator of every category, beyond which a tree is slower than blocks
_FOR_A_SUBSET = 2_000  # records looked for
_WHOLE = 10  # times as many records as a sample has are all looked for
_LIMITS: dict[str, Limit] = {
    "direction": OneOf(("original-to-masked", "masked-to-original")),
    "ties": OneOf(("expected", "any", "unique")),
    "scale": OneOf(("own", "original")),
    "sample": OrNone(Whole(1)),
    "seed": Whole(0),
}


@file_measure(
    About(
        name="distance_linkage",
        title="Distance-based record linkage",
        definition="Percentage of records whose nearest record in the other file is their own. Variables are "
        "standardised; categories that differ count 2 in the squared distance. By default every original record is "
        "looked for in the masked file, each file on its own scale, and one of several nearest records is drawn at "
        "random. A missing value counts as a category. In files of more than 100,000 records, and in "
        "those of more than 20,000 that mostly differ, 10,000 of them are looked for in the whole file.",
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
    limits=_LIMITS,
    unpublished_options=("known",),
)
def distance_linkage(
    files: Pair,
    *,
    direction: Literal["original-to-masked", "masked-to-original"] = "original-to-masked",
    ties: Literal["expected", "any", "unique"] = "expected",
    known: Literal["subsets"] | Iterable[str] | None = None,
    scale: Literal["own", "original"] = "own",
    sample: int | None = 10_000,
    seed: int = 0,
) -> MeasuredValue:
    """Return the percentage of records that an intruder links correctly by their distance.

    Its parts are the percentage for each rule on ties (`.expected`, `.any`, `.unique`), the number of `.records`,
    the columns used (`.known`), and how many records were `.sampled` (for each subset), None if all were looked for; a
    sample has a `.standard_error`, in percentage points. With ``known="subsets"``,
    `.by_number` has the average for every number of known variables.

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
        How many records are looked for if the file has more than ten times as many, or more than 20,000 of
        which most differ where they are searched; with subsets, at most 2,000 if it has more than 20,000. None
        for all. They are searched in the whole file, so that the sample makes the value less certain, not
        larger or smaller.
    seed
        The seed of that sample.
    """
    if isinstance(known, str) and known == "subsets":
        sample = None if sample is None else min(sample, _FOR_A_SUBSET)
        return linkage_over_subsets.of(files, direction=direction, ties=ties, scale=scale, sample=sample, seed=seed)
    return _linkage(files, _known_columns(files, known), False, direction, ties, scale, sample, seed)


@distance_linkage.check_first
def _refuse_unknown_columns(files: Pair, known: Any) -> None:
    """Raise ColumnError for a column that is not compared."""
    if known != "subsets":
        _known_columns(files, known)


def _linkage(
    files: Pair,
    names: Sequence[str],
    over_subsets: bool,
    direction: str,
    ties: str,
    scale: str,
    sample: int | None,
    seed: int,
) -> MeasuredValue:
    """Return the percentage linked by these columns, or its average over all subsets of them."""
    both = standardized_records(files, names, own_scale=scale == "own")
    records = len(both.original)
    subsets = _subsets(names) if over_subsets else [tuple(names)]
    sampled = sample_size(records, sample)
    if not over_subsets and sample is not None and records <= _WHOLE * sample and not _mostly_differ(both, direction):
        sampled = None
    work = records * (sampled or records) * sum(len(subset) for subset in subsets)

    by_subset: list[dict[str, Doubles]] = []
    for subset, rows in zip(subsets, _rows_to_look_for(records, sampled, seed), strict=False):
        with share(1 / len(subsets)):
            by_subset.append(_linked(both.only(subset), direction, rows, compiled=work > _WORTH_COMPILING))
    percentages = [{rule: 100 * float(counted.mean()) for rule, counted in linked.items()} for linked in by_subset]
    average = {rule: float(np.mean([linked[rule] for linked in percentages])) for rule in percentages[0]}
    parts: dict[str, Any] = {"direction": direction, "ties": ties, "records": records}
    parts |= sampling_parts(sampled, [linked[ties] for linked in by_subset], records)
    parts |= average | {"known": list(names)}
    if over_subsets:
        by_number = {
            number: [linked[ties] for linked, subset in zip(percentages, subsets, strict=True) if len(subset) == number]
            for number in range(1, len(names) + 1)
        }
        parts["by_number"] = {str(number): float(np.mean(linked)) for number, linked in by_number.items()}
    return MeasuredValue(average[ties], **parts)


@file_measure(
    About(
        name="linkage_over_subsets",
        title="Linkage over subsets of variables",
        definition="Distance-based record linkage by an intruder who knows some of the first seven variables: the "
        "average over all their subsets. A missing value counts as a category. In files of more than 20,000 records a "
        "sample is looked for with each subset, in the whole file.",
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
    limits=_LIMITS,
    unpublished_options=("known",),
)
def linkage_over_subsets(
    files: Pair,
    *,
    direction: Literal["original-to-masked", "masked-to-original"] = "original-to-masked",
    ties: Literal["expected", "any", "unique"] = "expected",
    known: Iterable[str] | None = None,
    scale: Literal["own", "original"] = "own",
    sample: int | None = _FOR_A_SUBSET,
    seed: int = 0,
) -> MeasuredValue:
    """Return ``distance_linkage(..., known="subsets")``, whose other options it takes.

    `known` names up to twelve columns of which the intruder knows some, instead of the first seven.
    """
    return _linkage(files, _columns_for_subsets(files, known), True, direction, ties, scale, sample, seed)


@linkage_over_subsets.check_first
def _columns_for_subsets(files: Pair, known: Any) -> list[str]:
    """Return the columns whose subsets are taken: those named, or the first seven that vary."""
    names = _known_columns(files, known)
    if known is None:
        return names[:_FOR_SUBSETS]
    if len(names) > _MOST_FOR_SUBSETS:
        raise ParameterError(
            f"known names {len(names)} columns; subsets of more than {_MOST_FOR_SUBSETS} are too many."
        )
    return names


@linkage_over_subsets.from_published
def _of_published(parts: Mapping[str, Any], published: Callable[[str, float], float]) -> MeasuredValue:
    """Return the average of the percentages that are published for every number of known variables."""
    name = linkage_over_subsets.about.name
    by_number = {number: published(name, percentage) for number, percentage in parts["by_number"].items()}
    subsets = [comb(len(by_number), int(number)) for number in by_number]
    total = sum(count * percentage for count, percentage in zip(subsets, by_number.values(), strict=True))
    return MeasuredValue(total / sum(subsets), **{**parts, "by_number": by_number})


def _known_columns(files: Pair, known: Any) -> list[str]:
    """Return the columns to link by: those that the intruder knows and that vary, or of which some are missing."""
    varying = varying_columns(files, missing_counts=True)
    if known is None:
        return varying
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


def _mostly_differ(both: StandardizedRecords, direction: str) -> bool:
    """Whether more than half of the records that are searched differ: groups are searched much faster."""
    searched = both.masked if direction == "original-to-masked" else both.original
    return 2 * len(distinct_records(searched)[0]) > len(searched)


def _suits_a_tree(searched: Doubles, numbers: int) -> bool:
    return numbers == searched.shape[1] or width(searched, numbers) <= _WIDEST


def _linked(
    both: StandardizedRecords, direction: str, rows: NDArray[np.int64] | slice, *, compiled: bool
) -> dict[str, Doubles]:
    """Return how much each of the rows counts as linked correctly, 0 to 1, under each rule on ties."""
    sought, searched = both.original, both.masked
    if direction == "masked-to-original":
        sought, searched = searched, sought
    search = search_through
    if compiled:
        search = search_by_tree if _suits_a_tree(searched, both.numbers) else search_in_blocks
    ties = search(sought[rows], searched[rows], searched, both.numbers)
    return {
        "expected": np.where(ties > 0, 1 / np.maximum(ties, 1), 0.0),
        "any": (ties > 0).astype(np.float64),
        "unique": (ties == 1).astype(np.float64),
    }
