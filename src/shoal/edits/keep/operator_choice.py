"""Which representative of a group each variable of a block gets, from what the rules require of it.

Sums need means and products geometric means in all their variables; a list of values needs the median. Where one
equality cannot have the same kind of average in all its variables, one of them is computed from the released others.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from shoal.edits.atoms import Atom, Definition, Equality, Linear, Opaque, Product, Single, is_equality
from shoal.edits.expressions import IsInteger
from shoal.edits.keep.last_digit import comes_out_whole, dependents

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
