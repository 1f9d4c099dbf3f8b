"""Rules that no record can satisfy together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shoal.edits.expressions import Among, Every
from shoal.edits.keep.atoms import Linear
from shoal.edits.rules import Rule
from shoal.errors import RuleError

__all__ = ["refuse_contradictions"]


def refuse_contradictions(rules: Sequence[Rule]) -> None:
    """Raise RuleError if rules without a condition cannot hold at once, sums and bounds or lists of values."""
    linear = {}
    for place, rule in enumerate(rules):
        if rule.sums:
            linear[place] = rule.sums
    _refuse_lists(rules)
    left = list(linear)
    if not left or _possible([atom for place in left for atom in linear[place]]):
        return
    for place in list(left):  # whatever can go without making the rest possible is not to blame
        fewer = [other for other in left if other != place]
        if fewer and not _possible([atom for other in fewer for atom in linear[other]]):
            left = fewer
    named = " and ".join(f'"{rules[place].shown}"' for place in left)
    raise RuleError(f"No record can satisfy {named}{' together' if len(left) > 1 else ''}. Correct the rules.")


def _possible(atoms: Sequence[Linear]) -> bool:
    from scipy.optimize import linprog  # type: ignore[import-untyped]

    names = list(dict.fromkeys(name for atom in atoms for name in atom.variables))
    rows = {"==": [], "<=": []}  # type: dict[str, list[tuple[list[float], float]]]
    for atom in atoms:
        size = max(abs(factor) for factor in atom.coefficients.values())
        row = [atom.coefficients.get(name, 0.0) / size for name in names]
        rows["==" if atom.relation == "==" else "<="].append((row, atom.constant / size))
    # One more variable is the room that strict rules leave; it must be able to be more than nothing.
    strict = [float(atom.relation == "<") for atom in atoms if atom.relation != "=="]
    equal, below = rows["=="], rows["<="]
    found = linprog(
        np.append(np.zeros(len(names)), -1.0 if any(strict) else 0.0),
        A_ub=np.array([[*row, room] for (row, _), room in zip(below, strict, strict=True)]) if below else None,
        b_ub=np.array([constant for _, constant in below]) if below else None,
        A_eq=np.array([[*row, 0.0] for row, _ in equal]) if equal else None,
        b_eq=np.array([constant for _, constant in equal]) if equal else None,
        bounds=[*[(None, None)] * len(names), (0.0, 1.0)],
    )
    if found.status == 2:
        return False
    return not (any(strict) and found.status == 0 and -found.fun <= 0)


def _refuse_lists(rules: Sequence[Rule]) -> None:
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
