"""What a column is taken for where nobody says, and which columns somebody has to decide: written out for cells."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

from oracles.cases import Variable

__all__ = ["has_to_be_decided", "kind_of_numbers"]

FEW = 12  # different whole numbers
ENOUGH = 20  # values to be called nearly all different
DATE, AMOUNT = re.compile(r"\d{4}-\d\d-\d\d"), re.compile(r"\d{1,3}(,\d{3})+")


def kind_of_numbers(cells: list[Any]) -> str:
    """Return "nominal" for two to twelve different whole numbers that are there twice on average."""
    values = [float(cell) for cell in cells if cell is not None]
    few = 1 < len(set(values)) <= min(FEW, len(values) / 2)
    return "nominal" if few and all(value.is_integer() for value in values) else "continuous"


def has_to_be_decided(variable: Variable) -> bool:
    """Whether nobody can say what a column is: dates, amounts as text, names, numbers of a register."""
    observed = [cell for cell in variable.cells if cell is not None]
    if variable.is_numeric:
        return _are_dates(observed) or _number_a_register(observed, len(variable.cells))
    if not observed or not all(isinstance(cell, str) for cell in observed):
        return False
    is_categorical = bool(variable.categories) or variable.storage == "Categorical"
    if all(map(AMOUNT.fullmatch, observed)) and not is_categorical:
        return True
    nearly_all = len(observed) >= ENOUGH and len(set(observed)) >= 0.8 * len(observed)
    return nearly_all or all(map(DATE.fullmatch, observed))


def _are_dates(numbers: list[Any]) -> bool:
    """Whether all are whole numbers such as 19801231."""
    for number in numbers:
        if not float(number).is_integer() or not 19000101 <= number <= 21001231:
            return False
        try:
            datetime.strptime(str(int(number)), "%Y%m%d")
        except ValueError:
            return False
    return bool(numbers)


def _number_a_register(numbers: list[Any], records: int) -> bool:
    """Whether all are whole, different, and of the same seven digits or more."""
    if records < ENOUGH or len(numbers) < 0.95 * records or len({float(number) for number in numbers}) < len(numbers):
        return False
    digits = {len(str(int(number))) for number in numbers if float(number).is_integer() and number > 0}
    whole = all(float(number).is_integer() and number > 0 for number in numbers)
    return whole and len(digits) == 1 and digits.pop() >= 7
