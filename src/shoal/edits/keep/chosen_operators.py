"""Whether representatives that were chosen for the variables of a block keep what a rule requires."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from shoal.edits.atoms import Atom, Definition, Linear, Opaque, Product, Single
from shoal.edits.expressions import IsInteger
from shoal.edits.keep.last_digit import comes_out_whole

__all__ = ["COMPUTED", "ChosenOperators"]

COMPUTED = frozenset({"mean", "geometric-mean"})  # the others select a value, or a record, of the group

_MEDOID = "medoid"


@dataclass(frozen=True)
class ChosenOperators:
    """The operators (names of replacements) of a block, and what is done to their results.

    Attributes
    ----------
    operators
        The operator of every variable.
    whole
        Variables whose mean is rounded to a whole number.
    dependent
        Variables that are computed from the others of an equality, and the equality.
    joint
        Whether representatives are projected onto all rules together.
    counts
        Variables that are whole numbers, whatever their operator.
    averaged
        The equalities that the operators of their variables keep.
    """

    operators: Mapping[str, str]
    whole: frozenset[str]
    dependent: Mapping[str, Atom]
    joint: bool
    counts: frozenset[str] = frozenset()
    averaged: tuple[Atom, ...] = ()

    @property
    def are_medoids(self) -> bool:
        """Whether every group is represented by one of its records."""
        return all(operator == _MEDOID for operator in self.operators.values())

    def keep(self, atom: Atom) -> bool:
        """Whether representatives keep an atom by themselves, or are moved to where it holds and checked afterwards."""
        used = {self.operators[name] for name in atom.variables}
        if used == {_MEDOID} or isinstance(atom, Opaque):
            return True
        if _MEDOID in used:
            return len(set(atom.variables)) == 1
        match atom:
            case Single():
                return all(_selects(operator) for operator in used) or (
                    isinstance(atom.source, IsInteger) and self._is_whole(atom.variable)
                )
            case Definition():
                return self._computes(atom)
            case Product():
                is_kept = self.joint or used == {"geometric-mean"}
                return (used <= COMPUTED and is_kept) or self._computes(atom)
            case Linear():
                return self._keep_linear(atom, used)

    def surely_keep(self, atom: Atom) -> bool:
        """Whether an atom holds in every group, whatever its records are; otherwise representatives may be moved."""
        if self.are_medoids:
            return True
        if isinstance(atom, Opaque) or self.joint:
            return False
        if self._computes(atom):
            return True
        names = set(atom.variables)
        if isinstance(atom, Single) and isinstance(atom.source, IsInteger):
            return True  # `keep` has seen to it
        return not names & self._moved if len(names) > 1 else not names & self._moved & set(self.dependent)

    @cached_property
    def _moved(self) -> set[str]:
        """The variables whose values are not those of their operator: rounded, or computed from such."""
        linear = [one for one in self.averaged if isinstance(one, Linear)]
        moved = {name for name, atom in self.dependent.items() if not any(atom is one for one in linear)}
        moved |= self.whole
        for _ in self.dependent:  # as many rounds as there can be in a chain
            moved |= {name for name, atom in self.dependent.items() if moved.intersection(atom.variables)}
        return moved

    def _computes(self, atom: Atom) -> bool:
        """Whether a variable is computed from the others so that an equality holds."""
        return any(equality is atom for equality in self.dependent.values())

    def _is_whole(self, name: str) -> bool:
        """Whether a variable that is averaged or computed comes out as a whole number."""
        atom = self.dependent.get(name)
        if isinstance(atom, Product | Definition):
            return comes_out_whole(name, atom, self.counts)
        return name in self.whole

    def _keep_linear(self, atom: Linear, used: set[str]) -> bool:
        names = set(atom.variables)
        if len(names) == 1:
            return True  # all operators stay between the smallest and the largest value
        if used == {"mean"} or (used <= COMPUTED and self.joint):
            return True
        if self._computes(atom) or (used <= COMPUTED and names & set(self.dependent)):
            return True  # computed from others
        return self._keep_order(atom, used)

    def _keep_order(self, atom: Linear, used: set[str]) -> bool:
        """Whether an atom that puts two variables in order, such as a <= b, is kept; no other is."""
        factors = list(atom.coefficients.values())
        if len(factors) > 2 or factors[0] * factors[1] > 0:
            return False
        if len(used) == 1 and all(_selects(operator) and operator != "mode" for operator in used):
            return True
        low, high = sorted(atom.coefficients, key=lambda name: atom.coefficients[name], reverse=True)
        # A geometric mean is never above the mean.
        below_mean = self.operators[low] == "geometric-mean" and self.operators[high] == "mean"
        return atom.constant == 0 and (used == {"geometric-mean"} or (below_mean and atom.relation != "=="))


def _selects(operator: str) -> bool:
    """Whether a replacement selects one of the values of the group; an order statistic is named with its share."""
    return operator in ("median", "mode") or operator.startswith("order-statistic")
