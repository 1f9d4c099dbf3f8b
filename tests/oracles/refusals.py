"""What a refusal may be for, and what it may not say."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from oracles.cases import Case, Variable
from oracles.default_kinds import has_to_be_decided

__all__ = ["reasons_to_refuse", "undecided_columns", "values_in_message"]


def undecided_columns(case: Case) -> list[str]:
    """Return the columns that are to get new values although nobody can say what they are, and nobody does."""
    asked = (case.variable(name) for name in case.rewritten)
    return [one.name for one in asked if not one.stated and has_to_be_decided(one)]


def reasons_to_refuse(case: Case) -> set[str]:
    """Return everything about a case that a refusal may be for."""
    reasons = set()
    protected = [case.variable(name) for block in case.blocks for name in block]
    incomplete = any(None in one.cells for one in protected)
    method = case.method.split(":")[0]
    if undecided_columns(case):
        reasons.add("columns to be decided")
    if case.records < case.k:
        reasons.add("fewer records than k")
    if case.missing == "error" and (incomplete or any(None in case.variable(name).cells for name in case.strata)):
        reasons.add("missing values")
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
    if case.confidential:
        reasons.add("synthetic data of such a table")
    if case.is_soft:
        reasons.add("no centre averages k")
    if case.dominance is not None:
        reasons |= _reasons_of_dominance(case)
    if case.missing == "fill":
        reasons |= _reasons_of_filling(case, protected)
    reasons |= (
        _reasons_of_weights(case) | _reasons_of_strata(case, protected) | _reasons_of_replacements(case, protected)
    )
    return reasons


def _reasons_of_weights(case: Case) -> set[str]:
    if case.weights is None:
        return set()
    reasons = set()
    if any(cell is None or cell <= 0 for cell in case.variable(case.weights).cells):
        reasons.add("weights that are not positive")
    if case.confidential or case.is_soft:
        reasons.add("method without weights")
    if not reasons and _has_too_much(case, lambda variable, row: case.variable(case.weights).cells[row]):
        reasons.add("a record with more than half of a weight")
    return reasons


def _reasons_of_dominance(case: Case) -> set[str]:
    averaged = [name for block in case.blocks for name in block if case.way_of(name) in ("mean", "geometric-mean")]
    if not averaged or case.replace == "medoid":
        return {"dominance without means"}
    most = case.dominance / 100
    too_much = _has_too_much(case, lambda variable, row: abs(variable.cells[row]), averaged, most)
    return {"a record that dominates a stratum"} if too_much else set()


def _reasons_of_filling(case: Case, protected: list[Variable]) -> set[str]:
    """Every stratum needs k observed values to fill missing ones from."""
    strata = case.stratum_of_record
    for stratum in set(strata):
        rows = {row for row in range(case.records) if strata[row] == stratum}
        if any(len(rows & one.observed) < case.k for one in protected):
            return {"fewer than k values to fill from"}
    return set()


def _has_too_much(case: Case, amount: Any, names: list[str] | None = None, most: float = 0.5) -> bool:
    """Whether one record has more than a share of a stratum, over the records in which a variable is observed.

    A mean may be over those that have others observed as well.
    """
    strata = case.stratum_of_record
    names = [name for block in case.blocks for name in block] if names is None else names
    observed = [case.variable(name).observed for name in names]
    for name in names:
        variable = case.variable(name)
        for stratum in set(strata):
            own = {row for row in range(case.records) if strata[row] == stratum} & variable.observed
            for rows in [own, *(own & other for other in observed), own.intersection(*observed)]:
                amounts = [Fraction(amount(variable, row)) for row in rows]
                if amounts and max(amounts) > sum(amounts) * Fraction(most):
                    return True
    return False


def _reasons_of_strata(case: Case, protected: list[Variable]) -> set[str]:
    reasons = set()
    strata = case.stratum_of_record
    for stratum in set(strata):
        rows = {row for row in range(case.records) if strata[row] == stratum}
        if len(rows) < case.k:
            reasons.add("a stratum with fewer records than k")
        if any(0 < len(rows & one.observed) < case.k for one in protected):
            reasons.add("a variable with fewer observed values than k")
        for block in case.blocks:
            varying = [case.variable(name) for name in block if not case.variable(name).is_constant]
            if varying and 0 < len({row for row in rows if any(row in one.observed for one in varying)}) < case.k:
                reasons.add("a block with fewer records than k")
            averaged = [one for one in varying if case.way_of(one.name) in ("mean", "geometric-mean")]
            if averaged and len(rows.intersection(*(one.observed for one in averaged))) < case.k:
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
        for cell in {str(cell) for cell in case.variable(name).cells if cell is not None}:
            if len(cell) > 4 and cell in message and cell not in strata:
                shown.append(name)
    return shown
