"""What a refusal may be for, and what it may not say."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from fractions import Fraction
from typing import Any

from oracles.cases import Case, Variable
from oracles.default_kinds import has_to_be_decided

__all__ = ["reasons_to_refuse", "undecided_columns", "values_in_message"]


def undecided_columns(case: Case) -> list[str]:
    """Return the columns that are to get new values although nobody can say what they are, and nobody does."""
    asked = (case.variable(name) for name in [*case.rewritten, *case.categories])
    by_recode = {name for name, raw in case.raw.items() if raw.kind == "continuous"}
    return [one.name for one in asked if not one.stated and one.name not in by_recode and has_to_be_decided(one)]


def reasons_to_refuse(case: Case) -> set[str]:
    """Return everything about a case that a refusal may be for."""
    reasons = set()
    if case.categories:
        reasons |= _reasons_of_kept(case)
        within = [name for name, way in case.categories.items() if way == "within"]
        blocks = [[name for name in block if name not in case.categories] for block in case.blocks]
        return reasons | reasons_to_refuse(
            replace(case, categories={}, strata=[*case.strata, *within], blocks=[block for block in blocks if block])
        )
    protected = [case.variable(name) for block in case.blocks for name in block]
    incomplete = any(None in one.cells for one in protected)
    method = case.method.split(":")[0]
    if undecided_columns(case):
        reasons.add("columns to be decided")
    if case.records < case.k:
        reasons.add("fewer records than k")
    if case.missing == "error" and (incomplete or any(None in case.variable(name).cells for name in case.strata)):
        reasons.add("missing values")
    if case.is_perturbed:
        return reasons | _reasons_of_perturbing(case, protected)
    if incomplete and (method != "mdav" or case.confidential or case.replace == "medoid"):
        reasons.add("method without missing values")
    if any(not one.observed for one in protected):
        reasons.add("a column without any value")
    by_text = case.method.startswith("hac:distance=levenshtein")
    takes_categories = method == "mdav" or case.method == "hac:distance=hamming" or by_text
    if any(one.kind != "continuous" for one in protected) and not takes_categories:
        reasons.add("method for numbers")
    if by_text and any(all(case.variable(name).kind == "continuous" for name in block) for block in case.blocks):
        reasons.add("method for texts")
    if case.method == "hac:distance=hamming" and any(one.kind != "nominal" for one in protected):
        reasons.add("method for categories")
    if method == "optimal-univariate" and any(len(block) > 1 for block in case.blocks):
        reasons.add("method for one variable")
    if any(
        isinstance(cell, int) and abs(cell) > 2**53 for one in case.variables for cell in one.cells if cell is not None
    ):
        reasons.add("numbers that floats do not hold")
    if case.engine == "arrow" and any(one.storage == "string_view" for one in case.variables):
        reasons.add("a type that cannot be protected")
    if case.closeness is not None and (case.strata or incomplete):
        reasons.add("a stratum, or records with a value, too far from the file")
    if case.closeness is not None and case.unit is not None:
        reasons.add("closeness in groups of units")
    if case.confidential:
        reasons.add("synthetic data of such a table")
    if case.is_soft:
        reasons.add("no centre averages k")
    if case.unit is not None:
        reasons |= _reasons_of_units(case)
    if case.dominance is not None:
        reasons |= _reasons_of_dominance(case)
    if case.missing == "fill":
        reasons |= _reasons_of_filling(case, protected)
    reasons |= (
        _reasons_of_weights(case) | _reasons_of_strata(case, protected) | _reasons_of_replacements(case, protected)
    )
    return reasons


def _reasons_of_perturbing(case: Case, protected: list[Variable]) -> set[str]:
    """Values are changed inside strata: each has to have k records, and enough values for what is asked of them."""
    reasons = set()
    if case.weights is not None and any(cell is None or cell <= 0 for cell in case.variable(case.weights).cells):
        reasons.add("weights that are not positive")
    if case.engine == "arrow" and any(one.storage == "string_view" for one in case.variables):
        reasons.add("a type that cannot be protected")
    if any(isinstance(cell, int) and abs(cell) > 2**53 for one in protected for cell in one.cells if cell is not None):
        reasons.add("numbers that floats do not hold")
    ways = {one.name: case.way_of(one.name).split(":")[0] for one in protected}
    if any(case.is_of_units(one.name) and ways[one.name] in ("rank-swap", "noise", "shuffle") for one in protected):
        reasons.add("a value of units that would fall apart")
    if any(not case.is_of_units(one.name) and ways[one.name] == "record-swap" for one in protected if case.unit):
        reasons.add("units in several places")
    reasons |= _reasons_of_units(case) & {"strata that divide units"}
    strata = case.stratum_of_record
    divided = len(set(zip(strata, case.unit_of_record, strict=True))) > len(set(case.unit_of_record))
    if divided and any(case.is_of_units(one.name) or ways[one.name] == "record-swap" for one in protected):
        reasons.add("strata that divide units")
    for stratum in set(strata):
        rows = {row for row in range(case.records) if strata[row] == stratum}
        if len(rows) < case.k:
            reasons.add("a stratum with fewer records than k")
        for one in protected:
            p = float(case.way_of(one.name).partition("p=")[2] or 15)
            if ways[one.name] == "rank-swap" and 0 < p * len(rows & one.observed) / 100 < 1:
                reasons.add("fewer ranks than p asks for")
            if ways[one.name] == "noise" and any(abs(cell) > 1e306 for cell in one.cells if cell is not None):
                reasons.add("values at the end of what floats hold")
        for block in case.blocks:
            noisy = [case.variable(name) for name in block if ways[name] == "noise"]
            together = rows.intersection(*(one.observed for one in noisy))
            if len(noisy) > 1 and len(together) < 2:
                reasons.add("too few complete records for a covariance")
    return reasons


def _reasons_of_kept(case: Case) -> set[str]:
    """Combinations that groups stay within need k units; inside groups of units there may be fewer."""
    reasons = set() if case.unit is None else _reasons_of_units(case)
    if undecided_columns(case):
        reasons.add("columns to be decided")
    if case.missing == "error" and any(None in case.variable(name).cells for name in case.strata):
        reasons.add("missing values")
    for block in case.blocks:
        within = [name for name in block if case.categories.get(name) == "within"]
        combinations = [case.variable(name).cells for name in [*case.strata, *within]]
        rows: dict[Any, set[int]] = defaultdict(set)
        for row in range(case.records):
            rows[tuple(cells[row] for cells in combinations)].add(row)
        if within and any(_units(case, own) < case.k for own in rows.values()):
            reasons.add("combinations with fewer records than k")
        if within and case.unit is not None and not all(map(case.is_of_units, block)):
            reasons.add("combinations inside groups of units")
    return reasons


def _reasons_of_units(case: Case) -> set[str]:
    reasons = set()
    if case.confidential or case.is_soft:
        reasons.add("method without units")
    divided = len(set(zip(case.stratum_of_record, case.unit_of_record, strict=True))) > len(set(case.unit_of_record))
    if divided and any(case.is_of_units(name) for block in case.blocks for name in block):
        reasons.add("strata that divide units")
    return reasons


def _reasons_of_weights(case: Case) -> set[str]:
    if case.weights is None:
        return set()
    reasons = set()
    protected = [name for block in case.blocks for name in block]
    if any(cell is None or cell <= 0 for cell in case.variable(case.weights).cells):
        reasons.add("weights that are not positive")
    if case.confidential or case.is_soft:
        reasons.add("method without weights")
    if not reasons and _has_too_much(case, protected, None):
        reasons.add("a record with more than half of a weight")
    return reasons


def _reasons_of_dominance(case: Case) -> set[str]:
    averaged = [name for block in case.blocks for name in block if case.way_of(name) in ("mean", "geometric-mean")]
    if not averaged or case.replace == "medoid":
        return {"dominance without means"}
    return {"a unit that dominates a stratum"} if _has_too_much(case, averaged, case.dominance / 100) else set()


def _reasons_of_filling(case: Case, protected: list[Variable]) -> set[str]:
    """Every stratum needs k observed values to fill missing ones from."""
    strata = case.stratum_of_record
    for stratum in set(strata):
        rows = {row for row in range(case.records) if strata[row] == stratum}
        if any(_units(case, rows & one.observed) < case.k for one in protected):
            return {"fewer than k values to fill from"}
    return set()


def _units(case: Case, rows: set[int]) -> int:
    """Return how many different units some records are of; without units, how many records."""
    return len({case.unit_of_record[row] for row in rows})


def _has_too_much(case: Case, names: list[str], dominance: float | None) -> bool:
    """Whether one unit has more than half of the weight of a stratum, or more than a share of its sum.

    That is over the records in which a variable is observed; a mean may be over those that have others observed as
    well. Of what has one value within every unit, each unit counts once.
    """
    of_units = [name for name in names if case.is_of_units(name)]
    if of_units and _has_too_much(replace(case.only_units()[0], unit=None), of_units, dominance):
        return True
    strata, units = case.stratum_of_record, case.unit_of_record
    observed = [case.variable(name).observed for name in names]
    for name in (name for name in names if name not in of_units):
        variable = case.variable(name)
        for stratum in set(strata):
            own = {row for row in range(case.records) if strata[row] == stratum} & variable.observed
            for rows in [own, *(own & other for other in observed), own.intersection(*observed)]:
                shares: dict[Any, Fraction] = defaultdict(Fraction)
                for row in rows:
                    if dominance is None:
                        shares[units[row]] += Fraction(case.variable(case.weights).cells[row])
                    else:
                        shares[units[row]] += abs(Fraction(variable.cells[row]))
                most = Fraction(0.5 if dominance is None else dominance)
                if shares and max(shares.values()) > sum(shares.values()) * most:
                    return True
    return False


def _reasons_of_strata(case: Case, protected: list[Variable]) -> set[str]:
    reasons = set()
    strata = case.stratum_of_record
    for stratum in set(strata):
        rows = {row for row in range(case.records) if strata[row] == stratum}
        if _units(case, rows) < case.k:
            reasons.add("a stratum with fewer records than k")
        if any(0 < _units(case, rows & one.observed) < case.k for one in protected):
            reasons.add("a variable with fewer observed values than k")
        for block in case.blocks:
            varying = [case.variable(name) for name in block if not case.variable(name).is_constant]
            if (
                varying
                and 0 < _units(case, rows.intersection(set().union(*(one.observed for one in varying)))) < case.k
            ):
                reasons.add("a block with fewer records than k")
            averaged = [one for one in varying if case.way_of(one.name) in ("mean", "geometric-mean")]
            if averaged and _units(case, rows.intersection(*(one.observed for one in averaged))) < case.k:
                reasons.add("variables with fewer common records than k, which may be tied")
    return reasons


def _reasons_of_replacements(case: Case, protected: list[Variable]) -> set[str]:
    reasons = set()
    for one in protected:
        if case.confidential or case.is_soft:
            continue
        if case.way_of(one.name) == "geometric-mean" and any(cell <= 0 for cell in one.cells if cell is not None):
            reasons.add("values that are not positive")
        if isinstance(case.replace, dict):
            asked = case.replace.get(case.labels[one.name])
            if asked is not None and asked != case.way_of(one.name):
                reasons.add("a replacement for another kind")
    return reasons


def values_in_message(case: Case, message: str) -> list[str]:
    """Return the values of protected columns that a message shows; numbers of few digits may be counts."""
    shown = []
    strata = {str(cell) for name in case.strata for cell in case.variable(name).cells}
    for name in (name for block in case.blocks for name in block):
        variables = [case.variable(name), *([case.raw[name]] if name in case.raw else [])]
        for cell in {str(cell) for one in variables for cell in one.cells if cell is not None}:
            if len(cell) > 4 and cell in message and cell not in strata:
                shown.append(name)
    return shown
