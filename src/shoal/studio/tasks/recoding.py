"""What can be made coarser and how, what it does for k, and what local suppression would cost; nothing is changed."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from shoal.describe.variables import codes, kind_of
from shoal.errors import ShoalError
from shoal.read import Table
from shoal.recode import DatePart, suppress
from shoal.recode.base import text_of
from shoal.recode.effect import RecodeEffect, effect
from shoal.studio.tasks.tables import recoded_of, table_of

__all__ = ["CategoryCount", "Ways", "category_columns", "cost_of_suppression", "effect_on_k", "round_step", "ways_for"]

_MOST_CATEGORIES = 300  # that are listed
_MOST_CODES = 40  # numbers that may be codes are so few
_POSITIONS = 100  # of a slider, about
_ROUND = (1, 2, 5, 10)


@dataclass(frozen=True)
class CategoryCount:
    """A category: its value as recodes name it, its label if it has one, and its records."""

    text: str
    label: str
    records: int


@dataclass(frozen=True)
class Ways:
    """How a column can be made coarser.

    Attributes
    ----------
    ways
        The names of the recodes that suit it.
    least, greatest, step
        Of numbers: their range, and the least step that a slider of widths takes; 0 for others.
    most_rare
        Where a slider of the fewest records of a category ends.
    categories, left_out
        Its categories, the most frequent first, and how many are not listed.
    """

    ways: tuple[str, ...]
    least: float = 0.0
    greatest: float = 0.0
    step: float = 0.0
    most_rare: int = 0
    categories: tuple[CategoryCount, ...] = field(default=())
    left_out: int = 0


def ways_for(source: dict[str, Any], options: dict[str, Any], column: str) -> Ways:
    """Return how a column can be made coarser, by what is in it before it is recoded."""
    table = recoded_of(source, {"missing_codes": options.get("missing_codes")}).before
    ways: list[str] = []
    least = greatest = step = 0.0
    values = table.numbers(column) if table.is_numeric(column) else np.array([])
    values = values[np.isfinite(values)]
    if len(values):
        ways += ["bands", "top-bottom", "round"]
        least, greatest = float(values.min()), float(values.max())
        step = round_step((greatest - least) / 2 / _POSITIONS, whole=bool((values % 1 == 0).all()))
    if _is_date(table, column):
        ways.insert(0, "date-part")
    categories = _categories(table, column) if _has_categories(table, column) else []
    if categories:
        ways.append("merge")
    return Ways(
        ways=tuple(ways),
        least=least,
        greatest=greatest,
        step=step,
        most_rare=max(10, len(table) // 5),
        categories=tuple(categories[:_MOST_CATEGORIES]),
        left_out=max(0, len(categories) - _MOST_CATEGORIES),
    )


def round_step(least: float, *, whole: bool = False) -> float:
    """Return the smallest of 1, 2 and 5 times a power of ten that is not below a number; 1 at least for whole ones."""
    if whole and least <= 1:
        return 1.0
    if least <= 0:
        return 0.1
    power = math.floor(math.log10(least))
    return next(step for step in (one * 10.0**power for one in _ROUND) if step >= least * (1 - 1e-9))


def _is_date(table: Table, column: str) -> bool:
    try:
        DatePart().recoded(table, column, 2)
    except ShoalError:
        return False
    return True


def _has_categories(table: Table, column: str) -> bool:
    """Whether values can be merged: texts and truth values, and numbers if there are few, which may be codes."""
    if not table.is_numeric(column):
        return kind_of(table, column) is not None
    values = table.numbers(column)
    return len(np.unique(values[~np.isnan(values)])) <= _MOST_CODES


def _categories(table: Table, column: str) -> list[CategoryCount]:
    numbered = codes(table, column)
    _, first, counts = np.unique(numbered[numbered >= 0], return_index=True, return_counts=True)
    cells = table.cells(column)[np.flatnonzero(numbered >= 0)[first]]
    labels = table.labels.values.get(column, {})
    listed = [
        CategoryCount(text_of(cell), str(labels.get(cell, "")), int(count))
        for cell, count in zip(cells, counts, strict=True)
    ]
    return sorted(listed, key=lambda one: -one.records)


def effect_on_k(
    source: dict[str, Any], options: dict[str, Any], keys: list[str], k: int, unit: str | None
) -> RecodeEffect:
    """Return what the recodes of these options do over the keys."""
    return effect(
        table_of(source), options.get("recodes"), keys, max(2, k), unit, missing_codes=options.get("missing_codes")
    )


def category_columns(source: dict[str, Any], options: dict[str, Any], kinds: dict[str, Any]) -> list[str]:
    """Return the columns that are categories once recoded, of those whose kinds are given; None is none."""
    recoded = recoded_of(source, options)
    made = {name: kind for name, kind in recoded.kinds.items() if name in kinds}
    return [name for name, kind in (kinds | made).items() if kind in ("nominal", "ordinal")]


def cost_of_suppression(source: dict[str, Any], options: dict[str, Any], columns: list[str], k: int) -> dict[str, Any]:
    """Return how many cells of each column would be suppressed, once recoded, as `categories="suppress"` does it."""
    table = recoded_of(source, options, k).table
    found = suppress(table, columns, k, missing="category")
    observed = {name: int((~table.missing(name)).sum()) for name in columns}
    return {
        "cells": {name: int(found.by_key[name]) for name in columns},
        "observed": observed,
        "records": found.records,
        "of": len(table),
    }
