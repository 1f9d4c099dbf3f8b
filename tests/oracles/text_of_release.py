"""What a release looks like in a CSV file: read with Python's csv and decimal modules, and counted by hand."""

from __future__ import annotations

import csv
import math
from collections import Counter
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np

from oracles.cases import SINGLE, Case, Fault
from oracles.native_tables import plain_cells

__all__ = ["faults_of_text", "most_decimals"]

EXTRA = 2
LARGEST = 10**15  # last digits that a float tells apart
LARGEST_SINGLE = 10**6


def faults_of_text(case: Case, release: Any, folder: Path) -> Iterator[Fault]:
    """Give every promise on its text that a release breaks: as few digits as its columns have and two, and k."""
    memory = release.plan.outcome.k
    path = folder / f"{case.seed}.csv"
    release.write(path, keep_order=True, plan=None)
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    path.unlink()
    after = dict(zip(rows[0], plain_cells(release.data).values(), strict=True))
    for name in case.rewritten:
        variable = case.variable(name)
        label = str(case.labels[name])
        if variable.kind == "continuous" and variable.observed:
            cells = [row[label] for row in rows]
            yield from _faults_of_numbers(case, name, cells, after[label])
    if any("" in one.cells for one in case.variables):
        return  # an empty text is a missing value in such a file
    counted = [label for label in rows[0] if label not in (_label(case, case.weights), _label(case, case.unit))]
    pairs = {(tuple(row[one] for one in counted), unit) for row, unit in zip(rows, case.unit_of_record, strict=True)}
    fewest = min(Counter(combination for combination, _ in pairs).values())
    if release.headline["k"] != fewest:
        yield Fault("k is counted on what is written", f"{release.headline['k']} instead of {fewest}")
    if fewest < memory:
        yield Fault("rounding keeps k", f"{fewest} instead of {memory}")


def _label(case: Case, name: str | None) -> str | None:
    return None if name is None else str(case.labels[name])


def _faults_of_numbers(case: Case, name: str, texts: list[str], cells: list[Any]) -> Iterator[Fault]:
    """Give what is wrong with the text of new numbers, which differ from those in memory by less than a last digit."""
    raw, single = case.raw.get(name, case.variable(name)), case.variable(name).storage in SINGLE
    before = [cell for cell in raw.cells if cell is not None]
    if not all(isinstance(cell, int | float | Decimal) for cell in before):
        return
    own = most_decimals(before, single=single)
    new = [(text, cell) for text, cell in zip(texts, cells, strict=True) if text != ""]
    largest = max(abs(Decimal(cell)) for _, cell in new) if new else 0
    in_full = own is None or largest * 10**own > (LARGEST_SINGLE if single else LARGEST)
    most = 400 if in_full else own + EXTRA
    # A synthetic value may be rounded the other way.
    slack = Decimal(0) if in_full else Decimal("1.51" if case.confidential else "0.51").scaleb(-own)
    wrong = [text for text, _ in new if decimals_of(Decimal(text)) > most]
    far = [text for text, cell in new if abs(Decimal(text) - shortest(cell, single)) > slack]
    if wrong or far:
        yield Fault("text has the decimals of the column and two", f"{name}: {len(wrong)} more, {len(far)} other")


def most_decimals(numbers: list[Any], *, single: bool) -> int | None:
    """Return the most decimals that a number has; None if one has 15 digits or more with them.

    A few units in the last place, as computed numbers are off, do not count.
    """
    exact = [shortest(number, single) for number in numbers]
    if not single:
        near = [Decimal(f"{number:.14g}") for number in numbers]
        noise = [
            abs(float(one) - float(number)) / math.ulp(float(number)) for one, number in zip(near, numbers, strict=True)
        ]
        exact = [one if off <= 4 else number for one, off, number in zip(near, noise, exact, strict=True)]
    most = max(map(decimals_of, exact))
    return None if max(map(abs, exact)) * 10**most >= 10**14 else most


def shortest(number: Any, single: bool) -> Decimal:
    """Return a number as it is written, in as few digits as tell it apart."""
    return Decimal(str(np.float32(number) if single else float(number)))


def decimals_of(number: Decimal) -> int:
    """Return how many decimals a number has, without zeros at its end."""
    return max(0, -number.normalize().as_tuple().exponent)
