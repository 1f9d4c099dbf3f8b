"""Which representative of a group each variable of a block gets, from what the rules require of it.

Sums need means and products geometric means in all their variables; a list of values needs the median. Where one
equality cannot have the same kind of average in all its variables, one of them is computed from the released others.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from shoal.edits.atoms import Atom, Equality, Linear, Product, Single, is_equality
from shoal.edits.expressions import IsInteger
from shoal.edits.keep.chosen_operators import COMPUTED, ChosenOperators
from shoal.edits.keep.last_digit import dependents

__all__ = ["OperatorChoice"]


@dataclass(frozen=True)
class _AtomsByUse:
    """What the atoms of a block require of its variables."""

    sums: frozenset[str]  # variables in an equality of sums that means keep
    products: frozenset[str]  # variables in a product that geometric means keep
    bounded: frozenset[str]  # variables in any sum or bound
    listed: frozenset[str]  # variables with a test of their own other than "is integer"
    counts: frozenset[str]  # variables of which only "is integer" is required


class OperatorChoice:
    """Chooses the representatives of one block.

    Parameters
    ----------
    block, kinds
        The variables, and the kind of each.
    replacements
        Replacements that the user chose, by column.
    repair
        Whether variables with bounds are averaged, so that they can be moved.
    computes_products
        Whether one variable of a product is computed from means of the others, and no geometric means are taken.
    """

    def __init__(
        self,
        block: Sequence[str],
        kinds: Mapping[str, str],
        replacements: Mapping[str, str],
        repair: bool,
        computes_products: bool,
    ) -> None:
        self._block, self._kinds, self._replacements, self._repair = block, kinds, replacements, repair
        self._computes_products = computes_products
        self.reasons: list[str] = []

    def chosen(self, atoms: Sequence[Atom]) -> ChosenOperators:
        """Choose an operator for every variable, and which variables are computed from others."""
        equalities = [atom for atom in atoms if isinstance(atom, Equality) and is_equality(atom)]
        tests = _tests(atoms)
        averaged = [one for one in equalities if self._is_averaged(one, tests)]
        use = _by_use(atoms, averaged, tests)
        free = {name for name in self._block if self._may_be_computed(name, use.listed)}
        last = {name: atom for atom, name in dependents(equalities, free, use.counts)}
        last = {name: atom for name, atom in last.items() if not any(atom is one for one in averaged)}
        operators = self._operators(atoms, use, last, _moving(atoms, last))
        whole = frozenset(name for name in use.counts if operators[name] == "mean")
        computed = [name for name, operator in operators.items() if operator in COMPUTED]
        dependent = {name: atom for atom, name in dependents(equalities, computed, use.counts)}
        joint = self._needs_projection(averaged, equalities, operators, dependent)
        if joint and not whole:  # projecting would move whole numbers off their places
            self.reasons.append(
                "Representatives are projected onto all rules together, because sums and products depend on each other."
            )
        self._say(use, last, operators, whole)
        return ChosenOperators(operators, whole, dependent, joint and not whole, use.counts, tuple(averaged))

    def _is_averaged(self, one: Equality, tests: Mapping[str, list[Single]]) -> bool:
        """Whether the same kind of average in all its variables keeps an equality."""
        asked = {self._replacements.get(name) for name in one.variables} - {None}
        if isinstance(one, Linear):
            return asked <= {"mean"} and not any(_is_listed(tests.get(name, ())) for name in one.variables)
        if self._computes_products or not isinstance(one, Product):
            return False
        return asked <= COMPUTED and not set(tests).intersection(one.variables)

    def _may_be_computed(self, name: str, listed: Collection[str]) -> bool:
        chosen = self._replacements.get(name, "mean")
        return self._kinds[name] == "continuous" and chosen in COMPUTED and name not in listed

    def _is_free(self, name: str) -> bool:
        return self._kinds[name] == "continuous" and name not in self._replacements

    def _operators(
        self, atoms: Sequence[Atom], use: _AtomsByUse, last: Collection[str], moving: frozenset[str]
    ) -> dict[str, str]:
        chosen = {name: "mean" for name in self._block if name in use.counts & moving and self._is_free(name)}
        for name in self._block:
            operator = self._operator(name, use, last)
            if operator is not None:
                chosen[name] = operator
        self._average_counts(atoms, chosen, use.counts)
        self._spread(atoms, chosen)
        return {name: chosen[name] for name in self._block}

    def _operator(self, name: str, use: _AtomsByUse, last: Collection[str]) -> str | None:
        """Return the operator that a variable needs by itself; None if others decide, or nothing does."""
        if name in self._replacements:
            return self._replacements[name]
        if self._kinds[name] != "continuous":
            return "median" if self._kinds[name] == "ordinal" else "mode"
        if name in use.listed:
            return "median"
        if name in last or name in use.sums or (self._repair and name in use.bounded and name in use.counts):
            return "mean"
        return "geometric-mean" if name in use.products else None

    def _average_counts(self, atoms: Sequence[Atom], chosen: dict[str, str], counts: Collection[str]) -> None:
        """Give whole numbers the mean where they are compared with one, or several at once; else the median."""
        compared = [atom for atom in atoms if isinstance(atom, Linear) and len(atom.coefficients) > 1]
        changed = True
        while changed:
            changed = False
            for atom in compared:
                free = [name for name in atom.variables if name in counts and name not in chosen]
                several = len(atom.coefficients) > 2 or min(atom.coefficients.values()) > 0
                if free and (several or "mean" in {chosen.get(name) for name in atom.variables}):
                    chosen |= dict.fromkeys(free, "mean")
                    changed = True
        for name in self._block:
            if name in counts:
                chosen.setdefault(name, "median")

    def _spread(self, atoms: Sequence[Atom], chosen: dict[str, str]) -> None:
        """Give variables that only inequalities name the operator of what they are compared with; else the mean."""
        pairs = [atom for atom in atoms if isinstance(atom, Linear) and len(atom.coefficients) == 2]
        for operator in ("median", "geometric-mean"):
            changed = True
            while changed:
                changed = False
                for atom in pairs:
                    free = [name for name in atom.variables if name not in chosen]
                    others = {chosen[name] for name in atom.variables if name in chosen}
                    if free and others == {operator}:
                        chosen[free[0]] = operator
                        changed = True
        for name in self._block:
            chosen.setdefault(name, "mean")

    def _needs_projection(
        self,
        averaged: Sequence[Equality],
        equalities: Sequence[Equality],
        operators: Mapping[str, str],
        dependent: Mapping[str, Atom],
    ) -> bool:
        """Whether a product that meets a sum has no variable of its own that could be computed from the others."""
        needed = False
        for atom in averaged:
            if not isinstance(atom, Product) or all(operators[name] == "geometric-mean" for name in atom.variables):
                continue
            own = next((name for name, equality in dependent.items() if equality is atom), None)
            elsewhere = {name for other in equalities if other is not atom for name in other.variables}
            if own is not None and own not in elsewhere:
                self.reasons.append(f'"{own}": computed from the others, because its product meets a sum.')
            else:
                needed = True
        return needed

    def _say(
        self, use: _AtomsByUse, last: Collection[str], operators: Mapping[str, str], whole: Collection[str]
    ) -> None:
        """Put the reasons for the operators before those that were given already."""
        reasons: list[str] = []

        def explain(names: Iterable[str], operator: str, why: str) -> None:
            named = [name for name in self._block if name in names and operators[name] == operator]
            if named:
                reasons.append(f"{_listed(named)}: the {operator.replace('-', ' ')} {why}.")

        explain(use.listed | use.counts, "median", "keeps to values that occur")
        explain(use.sums - set(last), "mean", "keeps sums")
        explain(use.products - use.sums - set(last), "geometric-mean", "keeps products")
        if whole:
            reasons.append(f"{_listed(sorted(whole))}: rounded to whole numbers.")
        if last:
            named = [name for name in self._block if name in last]
            reasons.append(f"{_listed(named)}: computed from the released others, as the rule says.")
        self.reasons[:0] = reasons


def _tests(atoms: Iterable[Atom]) -> dict[str, list[Single]]:
    """Return the tests that variables have of their own."""
    tests: dict[str, list[Single]] = {}
    for atom in atoms:
        if isinstance(atom, Single):
            tests.setdefault(atom.variable, []).append(atom)
    return tests


def _moving(atoms: Sequence[Atom], last: Mapping[str, Atom]) -> frozenset[str]:
    """Return what variables are computed from of which more is required: these may have to be moved."""
    own = {id(atom) for atom in last.values()}
    required = {name for atom in atoms if id(atom) not in own and not _is_count(atom) for name in atom.variables}
    if required.isdisjoint(last):
        return frozenset()
    return frozenset(name for atom in last.values() for name in atom.variables)


def _is_count(atom: Atom) -> bool:
    return isinstance(atom, Single) and isinstance(atom.source, IsInteger)


def _is_listed(tests: Iterable[Single]) -> bool:
    return any(not _is_count(one) for one in tests)


def _by_use(atoms: Sequence[Atom], averaged: Sequence[Equality], tests: Mapping[str, list[Single]]) -> _AtomsByUse:
    listed = frozenset(name for name, own in tests.items() if _is_listed(own))
    return _AtomsByUse(
        sums=frozenset(name for atom in averaged if isinstance(atom, Linear) for name in atom.variables),
        products=frozenset(name for atom in averaged if isinstance(atom, Product) for name in atom.variables),
        bounded=frozenset(name for atom in atoms if isinstance(atom, Linear) for name in atom.variables),
        listed=listed,
        counts=frozenset(tests) - listed,
    )


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)
