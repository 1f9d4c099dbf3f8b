"""What the rules require of a block of variables, and which representatives of a group keep them.

Variables joined by a rule form one block. In it, sums are kept by arithmetic means, products by geometric means, lists
of values and whole numbers by medians, categories by modes. Where sums and products meet, the dependent variable of the
product is computed from the others; where every variable of a product is in another equality too, representatives are
projected onto all rules together. Conditional rules split the file. A rule that no representative keeps is refused
before anything is masked.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NoReturn

from shoal.edits.atoms import Atom, Linear, Opaque, Product, Requirement, Single, requirements
from shoal.edits.expressions import IsInteger
from shoal.edits.keep.chosen_operators import COMPUTED, ChosenOperators
from shoal.edits.keep.last_digit import dependents
from shoal.edits.rules import Rule
from shoal.errors import RuleError

__all__ = ["BlockEdits", "Demand", "edits_of_block", "joined_blocks"]


@dataclass(frozen=True)
class Demand:
    """One requirement of a rule, with the alternatives that the representatives of a block can keep."""

    rule: Rule
    alternatives: tuple[tuple[Atom, ...], ...]


@dataclass(frozen=True)
class BlockEdits:
    """What the rules require of one block, and how they are kept.

    Attributes
    ----------
    columns
        The variables of the block.
    demands
        What has to hold in it.
    operators
        The representative of a group, by column: the name of a replacement.
    whole
        Variables whose mean is rounded, because they are whole numbers and in a sum.
    joint
        Whether representatives are projected onto all rules together, because a product has no variable of its own
        that could be computed from the others.
    dependent
        Variables that are computed from the others of an equality.
    reasons
        Why the representatives were chosen, a sentence each.
    checked_only
        Rules that are checked after masking, because no representative is sure to keep them.
    """

    columns: tuple[str, ...]
    demands: tuple[Demand, ...]
    operators: Mapping[str, str]
    whole: frozenset[str] = frozenset()
    joint: bool = False
    dependent: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    checked_only: tuple[Rule, ...] = ()

    @property
    def movable(self) -> list[str]:
        """The variables whose representatives are computed, so that they may be moved to where a rule holds."""
        return [name for name in self.columns if self.operators[name] in COMPUTED]

    def among(self, names: Collection[str]) -> BlockEdits:
        """Return the same for some of the variables alone."""
        return replace(
            self, columns=tuple(name for name in self.columns if name in names), whole=self.whole.intersection(names)
        )


def joined_blocks(rules: Iterable[Rule], columns: Sequence[str], size: int = 3) -> list[list[str]]:
    """Return blocks of columns: those joined by rules first, then the rest, `size` at a time, all in file order."""
    leader = {name: name for name in columns}

    def find(name: str) -> str:
        while leader[name] != name:
            name = leader[name]
        return name

    for rule in rules:
        for one in rule.requirements:
            names = [name for name in one.variables if name in leader]
            for other in names[1:]:
                leader[find(other)] = find(names[0])
    joined: dict[str, list[str]] = {}
    for name in columns:
        joined.setdefault(find(name), []).append(name)
    several = [names for names in joined.values() if len(names) > 1]
    single = [names[0] for names in joined.values() if len(names) == 1]
    return several + [single[start : start + size] for start in range(0, len(single), size)]


def edits_of_block(
    block: Sequence[str],
    rules: Iterable[Rule],
    kinds: Mapping[str, str],
    protected: Collection[str],
    texts: Collection[str],
    replacements: Mapping[str, str] | None = None,
    *,
    repair: bool = False,
) -> BlockEdits:
    """Choose the representative of a group in every column of a block, so that the rules hold.

    Parameters
    ----------
    block
        The variables that are grouped together.
    rules
        All rules; those without a variable of the block are skipped.
    kinds
        The kind of every protected variable.
    protected
        All variables that are protected, in this block or another. The rest of the file stays unchanged.
    texts
        The columns that hold texts.
    replacements
        Replacements that the user chose, by column; they are kept, or refused if they break a rule.
    repair
        Whether records may break sums and bounds: variables with bounds are then averaged, so that they can be moved.

    Raises
    ------
    RuleError
        A rule cannot be kept; the message names it and says what to do.
    """
    choice = _RepresentativeChoice(tuple(block), kinds, frozenset(protected), replacements or {}, repair)
    return choice.edits(list(rules), frozenset(texts))


@dataclass(frozen=True)
class _AtomsByUse:
    """What the atoms of a block require of its variables."""

    sums: frozenset[str]  # variables in an equality of sums
    products: frozenset[str]
    bounded: frozenset[str]  # variables in any sum or bound
    tested: frozenset[str]  # variables with a test of their own
    counts: frozenset[str]  # of these, those of which only "is integer" is required


def _by_use(atoms: Sequence[Atom]) -> _AtomsByUse:
    tests: dict[str, list[Single]] = {}
    for atom in atoms:
        if isinstance(atom, Single):
            tests.setdefault(atom.variable, []).append(atom)
    linear = [atom for atom in atoms if isinstance(atom, Linear)]
    products = [atom for atom in atoms if isinstance(atom, Product)]
    return _AtomsByUse(
        sums=frozenset(name for atom in linear if _is_equality(atom) for name in atom.variables),
        products=frozenset(name for atom in products for name in atom.variables),
        bounded=frozenset(name for atom in linear for name in atom.variables),
        tested=frozenset(tests),
        counts=frozenset(name for name, of in tests.items() if all(isinstance(one.source, IsInteger) for one in of)),
    )


class _RepresentativeChoice:
    """Chooses the representatives of one block."""

    def __init__(
        self,
        block: tuple[str, ...],
        kinds: Mapping[str, str],
        protected: frozenset[str],
        replacements: Mapping[str, str],
        repair: bool,
    ) -> None:
        self._block, self._kinds, self._protected, self._replacements = block, kinds, protected, replacements
        self._repair = repair
        self._reasons: list[str] = []

    def edits(self, rules: list[Rule], texts: frozenset[str]) -> BlockEdits:
        """Return how the block keeps the rules."""
        required = [
            (rule, one)
            for rule in rules
            for one in requirements(rule.expression, texts)
            if set(one.variables).intersection(self._block)
        ]
        for rule, one in required:
            apart = sorted(set(one.variables) & self._protected - set(self._block))
            if apart:
                raise RuleError(
                    f'The rule "{rule.shown}" joins "{apart[0]}" to another block. Put its variables into one block, '
                    "or leave blocks out."
                )
        atoms = [atom for _, one in required for alternative in one.alternatives for atom in alternative]
        atoms = [atom for atom in atoms if self._is_within_block(atom)]
        operators, whole = self._operators(atoms)
        equalities = [atom for atom in atoms if isinstance(atom, Linear | Product) and _is_equality(atom)]
        computed = [name for name, operator in operators.items() if operator in COMPUTED]
        dependent = {name: atom for atom, name in dependents(equalities, computed, whole)}
        joint = self._needs_projection(equalities, operators, dependent)
        demands, checked_only = self._demands(required, ChosenOperators(operators, whole, dependent, joint))
        for rule in checked_only:
            self._reasons.append(f'No representative is sure to keep "{rule.shown}": it is checked after masking.')
        return BlockEdits(
            columns=self._block,
            demands=tuple(demands),
            operators=operators,
            whole=whole,
            joint=joint,
            dependent=tuple(name for name in self._block if name in dependent),
            reasons=tuple(self._reasons),
            checked_only=tuple(checked_only),
        )

    def _demands(
        self, required: Sequence[tuple[Rule, Requirement]], chosen: ChosenOperators
    ) -> tuple[list[Demand], list[Rule]]:
        """Return the alternatives of every requirement that are kept, and the rules that can only be checked."""
        demands: list[Demand] = []
        checked_only: list[Rule] = []
        for rule, one in required:
            kept = tuple(
                alternative
                for alternative in one.alternatives
                if all(self._keeps(atom, chosen) for atom in alternative)
            )
            if not kept:
                self._refuse(rule, one, [other for other, _ in required])
            demands.append(Demand(rule, kept))
            opaque = any(isinstance(atom, Opaque) for alternative in kept for atom in alternative)
            if opaque and not chosen.are_medoids and rule not in checked_only:
                checked_only.append(rule)
        return demands, checked_only

    def _is_within_block(self, atom: Atom) -> bool:
        return set(atom.variables) <= set(self._block)

    def _operators(self, atoms: Sequence[Atom]) -> tuple[dict[str, str], frozenset[str]]:
        """Choose an operator for every variable, from the rules that name it; also say which are rounded."""
        use = _by_use(atoms)
        chosen: dict[str, str] = {}
        for name in self._block:
            operator = self._operator(name, use)
            if operator is not None:
                chosen[name] = operator
        whole = frozenset(name for name in use.counts if chosen.get(name) == "mean")
        self._spread(atoms, chosen)
        self._explain(use.tested, "median", "keeps to values that occur", chosen)
        self._explain(use.sums, "mean", "keeps sums", chosen)
        self._explain(use.products - use.sums, "geometric-mean", "keeps products", chosen)
        if whole:
            self._reasons.append(f"{_listed(sorted(whole))}: rounded to whole numbers.")
        return {name: chosen[name] for name in self._block}, whole

    def _operator(self, name: str, use: _AtomsByUse) -> str | None:
        """Return the operator that a variable needs by itself; None if only inequalities name it, or nothing."""
        if name in self._replacements:
            return self._replacements[name]
        if self._kinds[name] != "continuous":
            return "median" if self._kinds[name] == "ordinal" else "mode"
        if name in use.sums or (self._repair and name in use.bounded and name in use.counts):
            return "mean"
        if name in use.products:
            return "geometric-mean"
        return "median" if name in use.tested else None

    def _explain(self, names: Collection[str], operator: str, why: str, chosen: Mapping[str, str]) -> None:
        named = [name for name in self._block if name in names and chosen[name] == operator]
        if named:
            self._reasons.append(f"{_listed(named)}: the {operator.replace('-', ' ')} {why}.")

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
        self, equalities: Sequence[Linear | Product], operators: Mapping[str, str], dependent: Mapping[str, Atom]
    ) -> bool:
        """Whether a product that meets a sum has no variable of its own that could be computed from the others."""
        needed = False
        for atom in equalities:
            if not isinstance(atom, Product) or all(operators[name] == "geometric-mean" for name in atom.variables):
                continue
            own = next((name for name, equality in dependent.items() if equality is atom), None)
            elsewhere = {name for other in equalities if other is not atom for name in other.variables}
            if own is not None and own not in elsewhere:
                self._reasons.append(f'"{own}": computed from the others, because its product meets a sum.')
            else:
                needed = True
        if needed:
            self._reasons.append(
                "Representatives are projected onto all rules together, because sums and products depend on each other."
            )
        return needed

    def _keeps(self, atom: Atom, chosen: ChosenOperators) -> bool:
        """Whether an atom still holds in the release, or is made to hold and checked afterwards."""
        if not self._protected.intersection(atom.variables):
            return True  # nothing of it changes
        # Between a variable that stays and one that changes, nothing is sure to hold.
        return self._is_within_block(atom) and chosen.keep(atom)

    def _refuse(self, rule: Rule, one: Requirement, rules: Sequence[Rule]) -> NoReturn:
        """Raise RuleError for a rule that cannot be kept, and say why."""
        unprotected = [name for name in one.variables if name not in self._protected]
        if unprotected:
            raise RuleError(
                f'The rule "{rule.shown}" names "{unprotected[0]}", which is not protected: a value that stays does '
                "not fit values that change. Add it to the columns, or leave the rule out."
            )
        chosen = dict.fromkeys(self._replacements[name] for name in one.variables if name in self._replacements)
        if chosen:
            raise RuleError(
                f'replace "{" and ".join(chosen)}" does not keep the rule "{rule.shown}". Leave replace out, and '
                'shoal chooses; or say replace="medoid" to release one of the records of each group.'
            )
        others = dict.fromkeys(other.shown for other in rules if set(other.variables) & set(one.variables))
        others.pop(rule.shown, None)
        listed = " and ".join(f'"{other}"' for other in list(others)[:3])
        raise RuleError(
            f'No average keeps the rule "{rule.shown}"{f" together with {listed}" if listed else ""}. Leave one out, '
            'or say replace="medoid" to release one of the records of each group.'
        )


def _is_equality(atom: Atom) -> bool:
    return isinstance(atom, Product) or (
        isinstance(atom, Linear) and atom.relation == "==" and len(atom.coefficients) > 1
    )


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)
