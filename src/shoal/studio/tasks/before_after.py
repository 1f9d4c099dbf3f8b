"""A release beside its original: any variable, any two variables, any table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.edits.checked_records import TableRecords
from shoal.errors import ColumnError, nearest_name_hint
from shoal.flow.chain.whole_chain import kinds_in_chain
from shoal.flow.release import Release
from shoal.read import Table
from shoal.report.facts.correlations import correlations_of
from shoal.report.facts.shapes import categories_in, shape_of_amounts, shape_of_categories, with_labels
from shoal.report.page.plots import categories, density
from shoal.report.wording import edge_texts, number_text
from shoal.studio.tasks.joint_plot import joint_edges, joint_plot
from shoal.studio.tasks.protecting import kept_release

__all__ = ["CrossTable", "PairView", "VariableView", "cross_table", "pair", "variable"]

_BINS = 5  # of a number in a table
_MOST_CATEGORIES = 12
_MISSING, _OTHERS = "(missing)", "(all others)"


@dataclass(frozen=True)
class VariableView:
    """A variable before and after: a picture ("" if there is none), and values of both files by their names."""

    svg: str
    values: list[tuple[str, str, str]]


@dataclass(frozen=True)
class PairView:
    """Two numbers before and after: two pictures, and their correlations (None where there is none)."""

    before: str
    after: str
    correlation_before: float | None
    correlation_after: float | None


@dataclass(frozen=True)
class CrossTable:
    """How many records have each combination of categories, before and after.

    Attributes
    ----------
    names
        The columns: of the rows, of the columns, and of the layers if there are any.
    categories
        The categories of each.
    before, after
        Counts, by layer (one if there are none), row and column.
    """

    names: list[str]
    categories: list[list[str]]
    before: list[list[list[int]]]
    after: list[list[list[int]]]
    layers: list[str] = field(default_factory=list)


def variable(source: dict[str, Any], folder: str, column: str) -> VariableView:
    """Return how a variable is distributed in the original and in the release."""
    release, _ = kept_release(folder)
    tables = _both(release, [column])
    text = f"How {column} is distributed before and after"
    if _is_amount(release, column):
        numbers = [table.numbers(column) for table in tables]
        shape = shape_of_amounts(numbers[::-1], 1)
        svg = "" if shape is None else density("variable", text, shape)
        before, after = numbers
        values = [
            ("mean", _mean(before), _mean(after)),
            ("standard deviation", _deviation(before), _deviation(after)),
        ]
    else:
        texts = [categories_in(table, column) for table in tables]
        labels = release.recoded.labels.values.get(column, {})
        shape = shape_of_categories(texts[::-1], labels, 1)
        svg = "" if shape is None else categories("variable", text, shape)
        values = []
    counts = [(len(np.unique(categories_in(table, column))), int(table.missing(column).sum())) for table in tables]
    (different, missing), (different_after, missing_after) = counts
    values += [
        ("different values", f"{different:,}", f"{different_after:,}"),
        ("missing", f"{missing:,}", f"{missing_after:,}"),
    ]
    return VariableView(svg, values)


def pair(source: dict[str, Any], folder: str, one: str, other: str) -> PairView | CrossTable:
    """Return two variables together: pictures of two numbers, a table where one has categories."""
    release, _ = kept_release(folder)
    tables = _both(release, [one, other])
    if one == other or not (_is_amount(release, one) and _is_amount(release, other)):
        return cross_table(source, folder, [one, other])
    pairs = [(table.numbers(one), table.numbers(other)) for table in tables]
    edges = (joint_edges([x for x, _ in pairs]), joint_edges([y for _, y in pairs]))
    found = correlations_of(tables[0], tables[1], [one, other], fewest=1, internal=True)
    drawn = [
        joint_plot(name, f"{one} and {other}, {name}", both, edges, (one, other))
        for name, both in zip(("before", "after"), pairs, strict=True)
    ]
    before = None if found is None or found.original is None else found.original[0][1]
    return PairView(drawn[0], drawn[1], before, None if found is None else found.masked[0][1])


def cross_table(source: dict[str, Any], folder: str, columns: Sequence[str]) -> CrossTable:
    """Return how many records have every combination of two or three columns; numbers are put into bins.

    One column is no table: it has a name and no counts.
    """
    columns = list(dict.fromkeys(columns))
    if len(columns) < 2:
        return CrossTable(names=columns, categories=[], before=[], after=[])
    release, _ = kept_release(folder)
    tables = _both(release, columns)
    coded = [_coded(release, tables, name) for name in columns]
    shape = [len(listed) for listed, _ in coded]
    counts = []
    for file in (0, 1):
        together = np.zeros(shape, dtype=np.int64)
        np.add.at(together, tuple(codes[file] for _, codes in coded), 1)
        counts.append(together if together.ndim == 3 else together[:, :, np.newaxis])
    before, after = (np.moveaxis(one, 2, 0).tolist() for one in counts)
    return CrossTable(
        names=columns,
        categories=[listed for listed, _ in coded[:2]],
        before=before,
        after=after,
        layers=coded[2][0] if len(coded) == 3 else [],
    )


def _both(release: Release, columns: Sequence[str]) -> tuple[Table, Table]:
    for name in columns:
        if name not in release.masked or name not in release.recoded:
            hint = nearest_name_hint(name, release.masked.names)
            raise ColumnError(f'The release has no column "{name}".{hint}')
    return release.recoded, release.masked


def _is_amount(release: Release, column: str) -> bool:
    numeric = release.recoded.is_numeric(column) and release.masked.is_numeric(column)
    return numeric and kinds_in_chain(release.plan).get(column, "continuous") == "continuous"


def _coded(
    release: Release, tables: tuple[Table, Table], column: str
) -> tuple[list[str], tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Return the categories of a column, and which of them every record of both files has."""
    if _is_amount(release, column):
        return _binned(tables, column)
    texts = [_with_missing(table, column) for table in tables]
    listed, counts = np.unique(np.concatenate(texts), return_counts=True)
    if len(listed) > _MOST_CATEGORIES:
        kept = np.sort(np.argsort(-counts, kind="stable")[: _MOST_CATEGORIES - 1])
        listed = np.append(listed[kept], _OTHERS)
    place = {text: number for number, text in enumerate(listed.tolist())}
    rest = len(listed) - 1
    codes = [np.array([place.get(text, rest) for text in one.tolist()], dtype=np.int64) for one in texts]
    return with_labels(listed.tolist(), release.recoded.labels.values.get(column, {})), (codes[0], codes[1])


def _with_missing(table: Table, column: str) -> NDArray[Any]:
    texts = TableRecords(table).texts(column).astype(str)
    return np.where(table.missing(column), _MISSING, texts)


def _binned(tables: tuple[Table, Table], column: str) -> tuple[list[str], tuple[NDArray[np.int64], NDArray[np.int64]]]:
    numbers = [table.numbers(column) for table in tables]
    known = numbers[0][np.isfinite(numbers[0])]
    inner = np.unique(np.quantile(known, np.linspace(0, 1, _BINS + 1)[1:-1])) if len(known) else np.empty(0)
    texts = edge_texts(inner.tolist()) if len(inner) else []
    listed = ["all"]
    if texts:
        within = [f"{low} to {high}" for low, high in pairwise(texts)]
        listed = [f"below {texts[0]}", *within, f"{texts[-1]} and above"]
    codes = []
    for one in numbers:
        own = np.searchsorted(inner, one, side="right").astype(np.int64)
        codes.append(np.where(np.isnan(one), len(listed), own))
    if any((own == len(listed)).any() for own in codes):
        listed.append(_MISSING)
    return listed, (codes[0], codes[1])


def _mean(column: NDArray[np.float64]) -> str:
    known = column[np.isfinite(column)]
    return number_text(float(known.mean()) if len(known) else None)


def _deviation(column: NDArray[np.float64]) -> str:
    known = column[np.isfinite(column)]
    return number_text(float(known.std(ddof=1)) if len(known) > 1 else None)
