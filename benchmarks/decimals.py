"""Whether rules hold in the text of released files: random tables and rules, with and without `decimals`.

    python benchmarks/decimals.py [RELEASES] [FIRST_SEED]

Every release is written as CSV and read back with Python's decimal module; each rule is judged by a function of its own
that does not use shoal. Without `decimals` the text is rounded as a reader of the file would round it; with `decimals`
it is taken as it stands. Also counted: values with more decimals than asked for, records that fewer than k share in a
block, and releases that were refused.
"""

from __future__ import annotations

import csv
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import shoal
from shoal.errors import ShoalError

RELEASES = 870
Row = dict[str, Decimal]
Judge = Callable[[Row], bool]


@dataclass
class Case:
    """A table, rules that hold in it, and how it is protected."""

    frame: pd.DataFrame
    decimals: int | dict[str, int]
    rules: dict[str, Judge] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)
    is_linear: bool = False  # sums and bounds alone, which fuzzy methods keep


def amounts(rng: np.random.Generator, n: int, decimals: int = 2) -> np.ndarray:
    return np.round(rng.lognormal(rng.uniform(1, 7), rng.uniform(0.3, 1.5), n), decimals)


def sums(rng: np.random.Generator, n: int) -> Case:
    """Two to six terms, all above a bound and none above their total; perhaps a limit that the total reaches."""
    parts = [f"p{place}" for place in range(rng.integers(2, 7))]
    frame = pd.DataFrame({name: amounts(rng, n) for name in parts})
    frame["total"] = frame[parts].sum(axis=1).round(2)
    rules: dict[str, Judge] = {f"{' + '.join(parts)} == total": lambda row: sum(row[p] for p in parts) == row["total"]}
    for name in parts[:2]:
        rules[f"{name} <= total"] = lambda row, name=name: row[name] <= row["total"]
        rules[f"{name} >= 0.004"] = lambda row, name=name: row[name] >= Decimal("0.004")
    if rng.random() < 0.5:
        limit = round(float(frame.total.quantile(0.7)), 2)
        frame["p0"] = (frame.p0 - (frame.total - limit).clip(lower=0)).round(2)
        frame = frame[frame.p0 >= 0.01].reset_index(drop=True)
        frame["total"] = frame[parts].sum(axis=1).round(2)
        frame = frame[frame.total <= limit].reset_index(drop=True)
        rules[f"total <= {limit}"] = lambda row: row["total"] <= Decimal(str(limit))
    return Case(frame, 2, rules, is_linear=True)


def chains(rng: np.random.Generator, n: int) -> Case:
    """Sums of sums, with factors and a constant, an average, and a margin that follows twice."""
    frame = pd.DataFrame({name: amounts(rng, n) for name in "abde"})
    frame["c"] = (frame.a + frame.b).round(2)
    frame["f"] = (frame.c + frame.d - 2 * frame.e + 12.5).round(2)
    frame["r"] = (frame.d + frame.e).round(2)
    frame["m"] = (frame.a + frame.d).round(2)
    frame["w"] = (frame.b + frame.e).round(2)
    frame["t"] = (frame.c + frame.r).round(2)
    frame["twice"] = (2 * frame.t).round(2)
    return Case(
        frame,
        int(rng.integers(1, 4)),
        {
            "a + b == c": lambda row: row["a"] + row["b"] == row["c"],
            "f == c + d - 2 * e + 12.5": lambda row: row["f"] == row["c"] + row["d"] - 2 * row["e"] + Decimal("12.5"),
            "d + e == r": lambda row: row["d"] + row["e"] == row["r"],
            "a + d == m": lambda row: row["a"] + row["d"] == row["m"],
            "b + e == w": lambda row: row["b"] + row["e"] == row["w"],
            "c + r == t": lambda row: row["c"] + row["r"] == row["t"],
            "m + w == t": lambda row: row["m"] + row["w"] == row["t"],
            "twice / 2 == t": lambda row: row["twice"] / 2 == row["t"],
        },
        is_linear=True,
    )


def conditions(rng: np.random.Generator, n: int) -> Case:
    """Conditions, orders, values that differ, and a condition on a text."""
    frame = pd.DataFrame({"low": amounts(rng, n), "wage": amounts(rng, n), "region": rng.choice(["N", "S"], n)})
    frame["high"] = (frame.low + rng.integers(1, 4, n) / 100).round(2)
    frame["bonus"] = np.where(rng.random(n) < 0.5, 0.0, (0.01 + 0.2 * frame.wage).round(2))
    frame["paid"] = (frame.wage + frame.bonus).round(2)
    frame.loc[frame.region == "N", "low"] -= 1
    frame["low"] = frame.low.round(2)
    top = float(frame.low[frame.region == "N"].max()) + 0.003
    return Case(
        frame,
        2,
        {
            "low < high": lambda row: row["low"] < row["high"],
            "if bonus > 0 then paid > wage": lambda row: row["bonus"] <= 0 or row["paid"] > row["wage"],
            "wage + bonus == paid": lambda row: row["wage"] + row["bonus"] == row["paid"],
            f'if region == "N" then low <= {top}': lambda row: row["region"] != "N" or row["low"] <= Decimal(repr(top)),
            "bonus >= 0": lambda row: row["bonus"] >= 0,
            "wage != bonus": lambda row: row["wage"] != row["bonus"],
        },
        {"columns": ["low", "wage", "high", "bonus", "paid"]},
    )


def products(rng: np.random.Generator, n: int) -> Case:
    """A product of a price and whole numbers that meets a sum, and a ratio within bounds."""
    frame = pd.DataFrame({"price": amounts(rng, n), "amount": rng.integers(1, 60, n).astype(float)})
    frame["value"] = (frame.price * frame.amount).round(2)
    frame["tax"] = (0.19 * frame.value).round(2)
    frame["due"] = (frame.value + frame.tax).round(2)
    return Case(
        frame,
        {"price": 2, "amount": 0, "value": 2, "tax": 2, "due": 2},
        {
            "price * amount == value": lambda row: row["price"] * row["amount"] == row["value"],
            "value + tax == due": lambda row: row["value"] + row["tax"] == row["due"],
            "tax - 0.19 * value <= 0.05": lambda row: row["tax"] - Decimal("0.19") * row["value"] <= Decimal("0.05"),
        },
    )


def whole_numbers(rng: np.random.Generator, n: int) -> Case:
    """Whole numbers that add up, beside an amount with decimals, and a list of values."""
    frame = pd.DataFrame({name: rng.integers(0, 9, n).astype(float) for name in ("adults", "children")})
    frame["persons"] = frame.adults + frame.children
    frame["rent"] = amounts(rng, n) + 5
    frame["rent"] = frame.rent.round(2)
    frame["rate"] = rng.choice([0.5, 1.25, 2.75], n)
    return Case(
        frame,
        2,
        {
            "adults + children == persons": lambda row: row["adults"] + row["children"] == row["persons"],
            "adults is integer": lambda row: row["adults"] == int(row["adults"]),
            "children is integer": lambda row: row["children"] == int(row["children"]),
            "persons is integer": lambda row: row["persons"] == int(row["persons"]),
            "rate in {0.5, 1.25, 2.75}": lambda row: row["rate"] in map(Decimal, ("0.5", "1.25", "2.75")),
            "rent >= 5": lambda row: row["rent"] >= 5,
        },
        {"kinds": dict.fromkeys(frame, "continuous")},
    )


def without_rules(rng: np.random.Generator, n: int) -> Case:
    """Any replacement, any method: only rounded."""
    frame = pd.DataFrame({name: amounts(rng, n, 4) for name in "abcd"})
    decimals = int(rng.integers(-1, 4))
    kind = rng.integers(0, 5)
    if kind == 0:
        return Case(frame, decimals, {}, {"method": "fuzzy:n_clusters=4"})
    if kind == 1:
        return Case(frame, decimals, {}, {"replace": "hybrid:small_groups=accept", "confidential": ["a", "b"]})
    return Case(frame, decimals, {}, {"replace": str(rng.choice(["mean", "median", "geometric-mean", "mode"]))})


FAMILIES = (sums, chains, conditions, products, whole_numbers, without_rules)


def varied(case: Case, rng: np.random.Generator) -> Case:
    """Protect a case in one of several ways: strata, weights, blocks, missing values, medoids, fuzzy clusters."""
    n, options = len(case.frame), case.options
    way = rng.integers(0, 6)
    if way == 0:
        case.frame["stratum"] = np.where(np.arange(n) < n // 2, "x", "y")
        options["strata"] = "stratum"
    elif way == 1 and "method" not in options and "confidential" not in options:
        case.frame["weight"] = rng.uniform(1, 9, n).round(1)
        options["weights"] = "weight"
        if options.get("replace") == "mode":
            del options["replace"]
    elif way == 2 and case.rules:
        options["replace"] = "medoid"
    elif way == 3 and case.is_linear:
        options["method"] = "fuzzy:n_clusters=4"
    elif way == 4 and not case.rules and not {"method", "confidential"} & set(options):
        case.frame = case.frame.mask(rng.random(case.frame.shape) < 0.05)
        options["missing"] = "keep"
    elif way == 5 and not case.rules and "confidential" not in options:
        options["blocks"] = 2
    return case


def made(seed: int) -> tuple[Case, int]:
    rng = np.random.default_rng(seed)
    case = FAMILIES[seed % len(FAMILIES)](rng, int(rng.integers(40, 200)))
    return varied(case, rng), int(rng.integers(2, 7))


def read(path: Path, names: list[str]) -> list[Row]:
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return [{key: Decimal(cell) if key in names and cell else cell for key, cell in row.items()} for row in rows]  # type: ignore[misc]


def broken_rules(rows: list[Row], rules: dict[str, Judge]) -> int:
    return sum(not all(judge(row) for row in rows) for judge in rules.values())


def as_rounded(rows: list[Row], decimals: dict[str, int]) -> list[Row]:
    """Round a text as a reader of the file would."""

    def cell(name: str, value: Any) -> Any:
        return value.quantize(Decimal(1).scaleb(-decimals[name])) if isinstance(value, Decimal) else value

    return [{name: cell(name, value) if name in decimals else value for name, value in row.items()} for row in rows]


def judged(case: Case, k: int, seed: int, folder: Path) -> dict[str, int]:
    """Protect a case twice, without decimals and with, and return what is wrong with the two files."""
    found: dict[str, int] = {}
    rules = list(case.rules) or None
    before = shoal.protect(case.frame, k, edits=rules, seed=seed, **case.options)
    try:
        after = shoal.protect(case.frame, k, edits=rules, seed=seed, decimals=case.decimals, **case.options)
    except ShoalError as error:
        print(f"seed {seed}: refused: {error}")
        return {"refused": 1}
    names = after.plan.columns
    decimals = dict(after.plan.decimals)
    for release, name in ((before, "before"), (after, "after")):
        path = folder / f"{name}.csv"
        release.write(path)
        rows = read(path, names)
        if name == "before":
            rows = as_rounded(rows, decimals)
        found[name] = int(broken_rules(rows, case.rules) > 0)
    found["too fine"] = int(any(row != rounded for row, rounded in zip(rows, as_rounded(rows, decimals), strict=True)))
    by_group = not after.plan.family.rewrites and case.options.get("missing") != "keep"
    for block in after.plan.blocks if by_group else ():
        counts = Counter(tuple(row[name] for name in block) for row in rows)
        found["below k"] = found.get("below k", 0) or int(min(counts.values()) < k)
    return found


def main() -> None:
    releases = int(sys.argv[1]) if len(sys.argv) > 1 else RELEASES
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    warnings.simplefilter("ignore")
    counts: dict[str, Counter[str]] = {family.__name__: Counter() for family in FAMILIES}
    with tempfile.TemporaryDirectory() as folder:
        seed, made_so_far = first, 0
        while made_so_far < releases:
            case, k = made(seed)
            try:
                found = judged(case, k, seed, Path(folder))
            except ShoalError:
                counts[FAMILIES[seed % len(FAMILIES)].__name__]["not protected at all"] += 1
            else:
                made_so_far += 1
                counts[FAMILIES[seed % len(FAMILIES)].__name__].update({"releases": 1, **found})
            seed += 1
    columns = ("releases", "before", "after", "too fine", "below k", "refused", "not protected at all")
    print(f"{'family':16}" + "".join(f"{column:>22}" for column in columns))
    for family, of_family in [*counts.items(), ("all", sum(counts.values(), Counter()))]:
        print(f"{family:16}" + "".join(f"{of_family[column]:22}" for column in columns))


if __name__ == "__main__":
    main()
