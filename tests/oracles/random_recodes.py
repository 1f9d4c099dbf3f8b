"""Recodes drawn for some columns of a table, and what becomes of their cells: written out, one value at a time."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import Any

from oracles.cases import Case, Variable
from oracles.native_tables import Cells

__all__ = ["recode_some"]

_LARGEST = 10_000


def recode_some(case: Case, rng: Random, chance: float) -> None:
    """Recode some of the protected columns, in some tables; the case then has the recoded ones, and the raw beside.

    Tied columns are left alone: their relation would not hold any more.
    """
    if case.engine == "numpy" or rng.random() > chance:
        return
    tied = {name for names in case.tied for name in names}
    for name in [name for block in case.blocks for name in block if name not in tied]:
        variable = case.variable(name)
        ways = _ways(case, variable)
        if not ways or rng.random() < 0.4:
            continue
        text, cells, kind, categories = _recoded(variable, rng.choice(ways), case.engine, rng)
        case.raw[name] = variable
        place = case.variables.index(variable)
        stated = variable.stated and kind == variable.kind
        numeric = variable.is_numeric and kind == "continuous"
        case.variables[place] = replace(
            variable, cells=cells, kind=kind, categories=categories, stated=stated, is_numeric=numeric
        )
        case.options.setdefault("recodes", {})[case.labels[name]] = text
        if isinstance(case.replace, dict) and kind != variable.kind:
            case.replace.pop(case.labels[name], None)
    case.replace = case.replace or "mean"


def _ways(case: Case, variable: Variable) -> list[str]:
    """Return what can be done to a column: numbers that are neither large nor fine are rounded, words are merged."""
    observed = [cell for cell in variable.cells if cell is not None]
    if not observed or variable.name in case.categories:
        return []
    if variable.kind == "continuous" and variable.is_numeric:
        if not all(abs(cell) < _LARGEST and Fraction(repr(cell)) % Fraction(1, 100) == 0 for cell in observed):
            return []
        whole = all(isinstance(cell, int) for cell in observed)
        takes_categories = case.method.startswith("mdav") or case.is_perturbed
        of_numbers = case.replace in ("geometric-mean", "order-statistic:q=0.25", "convex-median", "medoid", "median")
        bands = ["bands"] if whole and takes_categories and not of_numbers and "int" in variable.storage else []
        return ["round", "top-bottom", *bands]
    words = variable.kind == "nominal" and all(isinstance(cell, str) for cell in observed)
    has_order = "ordered" in variable.storage or "Enum" in variable.storage
    return ["merge"] if words and 2 < len(set(observed)) <= 10 and not has_order else []


def _recoded(variable: Variable, way: str, engine: str, rng: Random) -> tuple[str, Cells, str, tuple[Any, ...]]:
    observed = [cell for cell in variable.cells if cell is not None]
    if way == "round":
        to = rng.choice((5, 10, 50))
        return f"round:to={to}", _each(variable, lambda cell: _as_type(round(Fraction(cell) / to) * to, cell)), *_same
    if way == "top-bottom":
        low, high = sorted(observed)[len(observed) // 4], sorted(observed)[-1 - len(observed) // 4]
        bottom, top = int(low // 1), int(high // 1) + 1
        clipped = _each(variable, lambda cell: _as_type(max(bottom, min(cell, top)), cell))
        return f"top-bottom:top={top},bottom={bottom}", clipped, *_same
    if way == "bands":
        width = rng.choice((10, 25, 60))
        starts = range(min(observed) // width * width, max(observed) + 1, width)
        bands = tuple(_band(start, width) for start in starts)
        cells = _each(variable, lambda cell: _band(cell // width * width, width))
        return f"bands:width={width}", cells, "nominal" if engine == "arrow" else "ordinal", bands
    merged = rng.sample(sorted(set(observed)), 2)
    recode = {"name": "merge", "groups": {"Merged": merged}}
    return recode, _each(variable, lambda cell: "Merged" if cell in merged else cell), "nominal", ()  # type: ignore[return-value]


_same: Any = ("continuous", ())


def _each(variable: Variable, new: Any) -> Cells:
    return [None if cell is None else new(cell) for cell in variable.cells]


def _as_type(number: Any, cell: Any) -> Any:
    return int(number) if isinstance(cell, int) else float(number)


def _band(start: int, width: int) -> str:
    return f"{start}{' to ' if start < 0 else '-'}{start + width - 1}"
