"""Rules that no record can satisfy together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shoal.edits.atoms import Linear
from shoal.edits.expressions import Among, Every
from shoal.edits.rules import Rule
from shoal.errors import RuleError

__all__ = ["refuse_contradictions"]


def refuse_contradictions(rules: Sequence[Rule]) -> None:
    """Raise RuleError if no record can satisfy all rules: their sums and bounds, or their lists of values.

    What a rule requires under a condition is not looked at.
    """
    _refuse_disjoint_lists(rules)
    sums = {place: rule.sums for place, rule in enumerate(rules) if rule.sums}
    conflicting = list(sums)
    if not conflicting or _possible([atom for place in conflicting for atom in sums[place]]):
        return
    for place in list(conflicting):  # a rule without which the others still contradict each other is not to blame
        others = [other for other in conflicting if other != place]
        if others and not _possible([atom for other in others for atom in sums[other]]):
            conflicting = others
    named = " and ".join(f'"{rules[place].shown}"' for place in conflicting)
    raise RuleError(f"No record can satisfy {named}{' together' if len(conflicting) > 1 else ''}. Correct the rules.")


def _possible(atoms: Sequence[Linear]) -> bool:
    """Whether some values satisfy all sums and bounds, by linear programming."""
    # For a quick start: scipy is slow to import.
    from scipy.optimize import linprog  # type: ignore[import-untyped]

    names = list(dict.fromkeys(name for atom in atoms for name in atom.variables))
    rows = {"==": [], "<=": []}  # type: dict[str, list[tuple[list[float], float]]]
    for atom in atoms:
        size = max(abs(factor) for factor in atom.coefficients.values())
        row = [atom.coefficients.get(name, 0.0) / size for name in names]
        rows["==" if atom.relation == "==" else "<="].append((row, atom.constant / size))
    # One more variable is how far strict inequalities are satisfied; it must be possible for it to be above 0.
    strict = [float(atom.relation == "<") for atom in atoms if atom.relation != "=="]
    equal, below = rows["=="], rows["<="]
    solution = linprog(
        np.append(np.zeros(len(names)), -1.0 if any(strict) else 0.0),
        A_ub=np.array([[*row, slack] for (row, _), slack in zip(below, strict, strict=True)]) if below else None,
        b_ub=np.array([constant for _, constant in below]) if below else None,
        A_eq=np.array([[*row, 0.0] for row, _ in equal]) if equal else None,
        b_eq=np.array([constant for _, constant in equal]) if equal else None,
        bounds=[*[(None, None)] * len(names), (0.0, 1.0)],
    )
    if solution.status == 2:
        return False
    return not (any(strict) and solution.status == 0 and -solution.fun <= 0)


def _refuse_disjoint_lists(rules: Sequence[Rule]) -> None:
    """Raise RuleError if two lists of values of one variable have none in common."""
    listed: dict[str, tuple[set[float | str], Rule]] = {}
    for rule in rules:
        for part in rule.expression.parts if isinstance(rule.expression, Every) else (rule.expression,):
            if isinstance(part, Among):
                values = {value.value for value in part.values}
                before, other = listed.get(part.variable.name, (values, rule))
                if not values & before:
                    named = " and ".join(dict.fromkeys(f'"{one.shown}"' for one in (other, rule)))
                    raise RuleError(f"No record can satisfy {named} together. Correct the rules.")
                listed[part.variable.name] = (values & before, rule)
