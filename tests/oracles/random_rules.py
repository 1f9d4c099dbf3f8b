"""Random tables with rules that they satisfy, and which records of a table break a rule, in plain Python.

Rules are texts that `_translated` can turn into Python, which then computes them record by record: in floats,
as any other program would, and in fractions, which do not round. Ordered categories are compared by their places.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import total_ordering
from random import Random
from typing import Any

import pandas as pd

__all__ = ["RuleTable", "broken", "decimal_fraction", "is_equality", "misses", "table_and_rules"]

LEVELS = ("none", "primary", "secondary", "bachelor", "master")  # not the order of the alphabet


@dataclass
class RuleTable:
    """A table under construction, and the rules that its columns satisfy."""

    rng: Random
    records: int
    columns: dict[str, Any] = field(default_factory=dict)
    rules: list[str] = field(default_factory=list)
    defined: set[str] = field(default_factory=set)  # alone on one side of an equality

    def add(self, stem: str, values: Sequence[Any]) -> str:
        """Add a column under a name of its own."""
        name = f"{stem}{len(self.columns)}"
        self.columns[name] = values
        return name

    def numbers(self, *, whole: bool | None = None, positive: bool | None = None) -> str:
        """Return a column of numbers: one that is there already, or a new one."""
        whole = self.rng.random() < 0.4 if whole is None else whole
        known = [name for name, values in self.columns.items() if self._serves(values, whole, bool(positive))]
        if known and self.rng.random() < 0.45:
            return self.rng.choice(known)
        low = 1 if positive or self.rng.random() < 0.6 else -20
        if whole:
            name = self.add("n", [self.rng.randint(low, 40) for _ in range(self.records)])
            if self.rng.random() < 0.8:
                self.rules.append(f"{name} is integer")
            return name
        spread = self.rng.choice((1.0, 1.0, 1000.0))
        return self.add("x", [round(self.rng.uniform(low, 40) * spread, 2) for _ in range(self.records)])

    def _serves(self, values: Sequence[Any], whole: bool, positive: bool) -> bool:
        if not all(isinstance(value, int if whole else int | float) for value in values):
            return False
        return not positive or min(values) > 0

    def define(self, stem: str, formula: str, *, swapped: bool = False) -> str:
        """Add a column that is computed from others, and the rule that says so."""
        name = self.add(stem, [eval(formula, {}, row) for row in _rows(self.columns)])
        self.rules.append(f"{formula} == {name}" if swapped else f"{name} == {formula}")
        self.defined.add(name)
        return name

    def bound(self, name: str) -> None:
        """Add a rule with the smallest or largest value of a column as its bound, or one a little beyond."""
        values = self.columns[name]
        slack = self.rng.choice((0, 0, 1, 5))
        if self.rng.random() < 0.5:
            self.rules.append(f"{name} <= {max(values) + slack!r}")
        elif self.rng.random() < 0.5:
            self.rules.append(f"{min(values) - slack!r} <= {name} <= {max(values) + slack!r}")
        else:
            self.rules.append(f"{name} > {min(values) - 1!r}")


def _sum(table: RuleTable) -> None:
    whole = table.rng.random() < 0.4
    a, b = table.numbers(whole=whole), table.numbers(whole=whole)
    formula = table.rng.choice((f"{a} + {b}", f"{a} - {b}", f"2 * {a} + {b}", f"{a} + {b} + 10", f"12 * {a}"))
    name = table.define("s", formula, swapped=table.rng.random() < 0.5)
    if whole and table.rng.random() < 0.7:
        table.rules.append(f"{name} is integer")
    if table.rng.random() < 0.3:
        table.bound(name)


def _definition(table: RuleTable) -> None:
    a, b = table.numbers(positive=True), table.numbers(positive=True)
    c = table.numbers()
    formula = table.rng.choice(
        (f"{a} * {b} + {c}", f"{a} / ({a} + {b})", f"{a} * {b}", f"{a} / {b}", f"{c} * {c} - {b}", f"{a} * ({b} + {c})")
    )
    name = table.define("d", formula, swapped=table.rng.random() < 0.3)
    if table.rng.random() < 0.4:
        table.bound(name)
    if table.rng.random() < 0.25:
        table.define("e", f"{name} + {c}")
    elif table.rng.random() < 0.3:
        above = table.add("h", [value + table.rng.randint(0, 8) / 4 for value in table.columns[name]])
        table.rules.append(f"{name} <= {above}")


def _whole_product(table: RuleTable) -> None:
    a, b = table.numbers(whole=True, positive=True), table.numbers(whole=True)
    name = table.define("p", table.rng.choice((f"{a} * {b}", f"{a} * {b} - 2 * {a}")))
    table.rules += [f"{one} is integer" for one in (a, b, name) if f"{one} is integer" not in table.rules]


def _circle(table: RuleTable) -> None:
    a, b, d = (table.numbers(whole=False, positive=True) for _ in "abd")
    c = table.define("c", f"{a} + {b}")
    e = table.define("e", f"{c} * {d}")
    table.define("f", f"{d} + {e}")


def _governed_definition(table: RuleTable) -> None:
    status = table.add("t", [table.rng.choice(("owner", "tenant")) for _ in range(table.records)])
    a, b = table.numbers(positive=True), table.numbers(positive=True)
    rows = list(_rows(table.columns))
    name = table.add("g", [row[a] * row[b] + 1.5 if row[status] == "owner" else row[a] for row in rows])
    table.rules.append(f'if {status} == "owner" then {name} == {a} * {b} + 1.5')


def _at_most(table: RuleTable) -> None:
    a, b = table.numbers(positive=True), table.numbers(positive=True)
    sign = table.rng.choice("++*")
    slack = table.rng.choice((0.5, 5.0, 50.0))
    rows = list(_rows(table.columns))
    most = [(row[a] * row[b] if sign == "*" else row[a] + row[b]) + slack * table.rng.random() for row in rows]
    table.rules.append(f"{a} {sign} {b} <= {table.add('u', most)}")


def _multiples(table: RuleTable) -> None:
    one, other = table.rng.choice(((2, 3), (3, 5), (4, 6), (1, 12)))
    parts = [table.rng.randint(0, 15) for _ in range(table.records)]
    a, b = table.add("m", [12 * other * part for part in parts]), table.add("m", [12 * one * part for part in parts])
    table.rules += [f"{one} * {a} == {other} * {b}", f"{a} is integer", f"{b} is integer"]
    if table.rng.random() < 0.4:
        table.bound(a)


def _order(table: RuleTable) -> None:
    low = table.numbers()
    values = table.columns[low]
    whole = isinstance(values[0], int)
    relation = table.rng.choice(("<=", "<=", "<"))
    steps = [table.rng.randint(relation == "<", 9) for _ in values]
    high = table.add("h", [value + (step if whole else step / 4) for value, step in zip(values, steps, strict=True)])
    if whole and table.rng.random() < 0.6:
        table.rules.append(f"{high} is integer")
    mirrored = relation.replace("<", ">")
    table.rules.append(table.rng.choice((f"{low} {relation} {high}", f"{high} {mirrored} {low}")))


def _bounds(table: RuleTable) -> None:
    table.bound(table.numbers())


def _domain(table: RuleTable) -> None:
    if table.rng.random() < 0.4:
        name = table.add("t", [table.rng.choice(("car", "bus", "tram")) for _ in range(table.records)])
        table.rules.append(f"{name} in {{car, bus, tram}}")
        return
    listed = sorted(table.rng.sample(range(30), 5))
    name = table.add("v", [table.rng.choice(listed) for _ in range(table.records)])
    table.rules.append(
        table.rng.choice((f"{name} in {{{', '.join(map(str, listed))}}}", f"{name} in original", f"{name} is integer"))
    )


def _condition(table: RuleTable) -> None:
    age = table.numbers(whole=True, positive=True)
    limit = sorted(table.columns[age])[table.records // 3]
    ages = table.columns[age]
    wage = [0.0 if one < limit else round(table.rng.uniform(1, 90), 1) for one in ages]
    name = table.add("w", wage)
    table.rules.append(f"if {age} < {limit} then {name} == 0")


def _governed_sum(table: RuleTable) -> None:
    status = table.add("t", [table.rng.choice(("employed", "retired")) for _ in range(table.records)])
    a, b = table.numbers(whole=False), table.numbers(whole=False)
    rows = list(_rows(table.columns))
    income = [row[a] + row[b] if row[status] == "employed" else round(table.rng.uniform(0, 9), 2) for row in rows]
    name = table.add("i", income)
    table.rules.append(f'if {status} == "employed" then {name} == {a} + {b}')


def _levels(table: RuleTable) -> None:
    parent = [table.rng.choice(LEVELS) for _ in range(table.records)]
    child = [LEVELS[table.rng.randint(0, LEVELS.index(one))] for one in parent]
    categories = [pd.Categorical(cells, LEVELS, ordered=True) for cells in (child, parent)]
    low, high = (table.add("edu", one) for one in categories)
    table.rules.append(table.rng.choice((f"{low} <= {high}", f"{high} >= {low}")))
    if table.rng.random() < 0.4:
        age = table.add("n", [table.rng.randint(0, 14) if one < "secondary" else 40 for one in map(_Level, child)])
        table.rules.append(f'if {low} >= "secondary" then {age} == 40')
    elif table.rng.random() < 0.5:
        table.rules.append(f'if {high} < "secondary" then {low} <= "primary"')
    else:
        table.rules.append(f'{low} <= "{max(map(_Level, child)).name}"')


RECIPES: Mapping[Callable[[RuleTable], None], int] = {
    _sum: 4,
    _definition: 4,
    _multiples: 1,
    _order: 3,
    _bounds: 2,
    _domain: 2,
    _condition: 2,
    _governed_sum: 1,
    _levels: 2,
    _whole_product: 1,
    _circle: 1,
    _governed_definition: 1,
    _at_most: 1,
}


def table_and_rules(
    rng: Random, *, recipes: Sequence[Callable[[RuleTable], None]] = ()
) -> tuple[pd.DataFrame, list[str]]:
    """Return a random table and rules that all its records satisfy.

    Parameters
    ----------
    rng
        Where the choices come from: ``Random(seed)``.
    recipes
        What to put together; by default one to four drawn from `RECIPES`.
    """
    table = RuleTable(rng, rng.randint(12, 60))
    for recipe in recipes or rng.choices(list(RECIPES), list(RECIPES.values()), k=rng.randint(1, 4)):
        recipe(table)
    names = list(table.columns)
    rng.shuffle(names)
    frame = pd.DataFrame({name: table.columns[name] for name in names})
    return frame, rng.sample(table.rules, len(table.rules))


@total_ordering
@dataclass(frozen=True)
class _Level:
    """A category with an order; a text of a rule is compared with it as the category of this name."""

    name: str
    categories: Sequence[str] = LEVELS

    def _place(self, other: object) -> int:
        return self.categories.index(other.name if isinstance(other, _Level) else str(other))

    def __eq__(self, other: object) -> bool:
        return self._place(self) == self._place(other)

    def __lt__(self, other: object) -> bool:
        return self._place(self) < self._place(other)

    def __hash__(self) -> int:
        return hash(self.name)


def _rows(columns: Mapping[str, Any]) -> list[dict[str, Any]]:
    names = list(columns)
    return [dict(zip(names, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]


def _cells(column: pd.Series, number: Callable[[Any], Any], levels: Sequence[str]) -> list[Any]:
    if isinstance(column.dtype, pd.CategoricalDtype):
        return [_Level(str(cell), levels) for cell in column]
    if column.dtype == object or isinstance(column.dtype, pd.StringDtype):
        return [str(cell) for cell in column]
    return [number(cell) for cell in column.tolist()]


def _translated(rule: str, exact: bool) -> str:
    """Return a rule as an expression of Python; numbers in it become fractions if they are to be exact."""
    governs = re.fullmatch(r"if (.+) then (.+)", rule)
    if governs:
        return f"(not ({_translated(governs[1], exact)})) or ({_translated(governs[2], exact)})"
    rule = re.sub(r"^(\w+) is integer$", r"\1 == floor(\1)", rule)
    rule = re.sub(r"^(\w+) in original$", r"\1 in original['\1']", rule)
    rule = re.sub(r"\{([a-z, ]+)\}", lambda found: repr(set(found[1].split(", "))), rule)
    if exact:
        rule = re.sub(r"(?<![\w.])(\d+(?:\.\d+)?(?:e[+-]?\d+)?)(?![\w.])", r"F('\1')", rule)
    return rule


def broken(
    frame: pd.DataFrame,
    rules: Sequence[str],
    *,
    original: pd.DataFrame | None = None,
    number: Callable[[Any], Any] = float,
) -> dict[str, list[int]]:
    """Return the records that break each rule, without any tolerance; rules that hold are not in it.

    Parameters
    ----------
    frame, rules
        A table without missing values, and rules such as `table_and_rules` makes.
    original
        The table that ``in original`` refers to, and whose categories say the order; by default the same.
    number
        What to compute with: ``float`` as other programs do, or another type, in which numbers in rules are exact:
        ``Fraction`` for what rounding hides, `decimal_fraction` for what the text of a file says.
    """
    original = frame if original is None else original
    known: dict[str, Any] = {
        name: set(_cells(original[name], number, ())) for name in frame if _is_plain(original[name])
    }
    levels = {name: list(original[name].cat.categories) for name in frame if not _is_plain(original[name])}
    rows = _rows({name: _cells(frame[name], number, levels.get(name, ())) for name in frame})
    scope = {"__builtins__": {}, "original": known, "floor": math.floor, "F": Fraction}
    found = {}
    for rule in rules:
        test = compile(_translated(rule, number is not float), rule, "eval")
        breaking = [place for place, row in enumerate(rows) if not eval(test, scope, row)]
        if breaking:
            found[rule] = breaking
    return found


def decimal_fraction(number: float) -> Fraction:
    """Return a number as the text of a file has it, without rounding."""
    return Fraction(str(number))


def _is_plain(column: pd.Series) -> bool:
    return not isinstance(column.dtype, pd.CategoricalDtype)


def is_equality(rule: str) -> bool:
    """Whether a rule requires, perhaps under a condition, that something computed equals a variable."""
    stated = rule.split(" then ")[-1]
    return "==" in stated and any(sign in stated for sign in "+-*/")


def misses(frame: pd.DataFrame, rule: str) -> float:
    """Return by how much an equality is missed at most, as a share of the size of its terms, computed in fractions."""
    governs = re.fullmatch(r"if (.+) then (.+)", rule)
    condition = compile(governs[1] if governs else "True", rule, "eval")
    left, right = (_translated(side.strip(), exact=True) for side in rule.split(" then ")[-1].split("=="))
    worst = 0.0
    plain = {name: _cells(frame[name], float, LEVELS) for name in frame}
    numeric = {
        name: [_Size(Fraction(cell)) if isinstance(cell, float) else cell for cell in cells]
        for name, cells in plain.items()
    }
    scope = {"__builtins__": {}, "F": lambda text: _Size(Fraction(text))}
    for row, sized in zip(_rows(plain), _rows(numeric), strict=True):
        if eval(condition, {"__builtins__": {}}, row):
            one, other = eval(left, scope, sized), eval(right, scope, sized)
            size = one.size + other.size
            worst = max(worst, float(abs(one.value - other.value) / size) if size else 0.0)
    return worst


class _Size:
    """A fraction, and the size of what it was computed from."""

    def __init__(self, value: Fraction, size: Fraction | None = None) -> None:
        self.value, self.size = value, abs(value) if size is None else size

    def __add__(self, other: _Size) -> _Size:
        return _Size(self.value + other.value, self.size + other.size)

    def __sub__(self, other: _Size) -> _Size:
        return _Size(self.value - other.value, self.size + other.size)

    def __mul__(self, other: _Size) -> _Size:
        return _Size(self.value * other.value, self.size * other.size)

    def __truediv__(self, other: _Size) -> _Size:
        return _Size(self.value / other.value, self.size / abs(other.value))

    def __neg__(self) -> _Size:
        return _Size(-self.value, self.size)
