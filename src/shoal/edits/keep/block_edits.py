"""From rules to a plan: which variables go together, and what stands for a group so that every rule still holds.

Variables joined by a rule form one block. In it, sums are kept by arithmetic means, products by geometric means, lists
of values and whole numbers by medians, categories by modes. Where sums and products meet, the dependent variable of the
product is computed from the others; where every variable of a product is in another equality too, representatives are
projected onto all rules together. Conditional rules split the file. A rule that none of this keeps is refused before
anything is masked.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from shoal.edits.expressions import IsInteger
from shoal.edits.keep.atoms import Atom, Linear, Opaque, Product, Requirement, Single, requirements
from shoal.edits.keep.last_digit import dependents
from shoal.edits.rules import Rule
from shoal.errors import RuleError

__all__ = ["BlockEdits", "Demand", "joined_blocks", "plan_block"]

_WHOLE_RECORDS = "medoid"


@dataclass(frozen=True)
class Demand:
    """One requirement of a rule, with the alternatives that the representatives of a block can keep."""

    rule: Rule
    alternatives: tuple[tuple[Atom, ...], ...]


@dataclass(frozen=True)
class BlockEdits:
    """What the rules ask of one block, and how it is kept.

    Attributes
    ----------
    columns
        The variables of the block.
    demands
        What has to hold in it.
    operators
        What stands for a group, by column: the name of a replacement.
    whole
        Variables whose mean is rounded, because they are whole numbers and in a sum.
    joint
        Whether representatives are projected onto all rules together, because no variable is free to follow.
    following
        Variables that are computed from the others of an equality.
    reasons
        Why, a sentence each.
    unpromised
        Rules that are checked, but that no representative is sure to keep.
    """

    columns: tuple[str, ...]
    demands: tuple[Demand, ...]
    operators: Mapping[str, str]
    whole: frozenset[str] = frozenset()
    joint: bool = False
    following: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    unpromised: tuple[Rule, ...] = field(default=())

    @property
    def movable(self) -> list[str]:
        """The variables whose representatives are computed, and may move by their last digits."""
        return [name for name in self.columns if self.operators[name] in ("mean", "geometric-mean")]


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
    together = [names for names in joined.values() if len(names) > 1]
    free = [names[0] for names in joined.values() if len(names) == 1]
    return together + [free[start : start + size] for start in range(0, len(free), size)]


def plan_block(
    block: Sequence[str],
    rules: Iterable[Rule],
    kinds: Mapping[str, str],
    protected: Collection[str],
    texts: Collection[str],
    given: Mapping[str, str] | None = None,
    *,
    repair: bool = False,
) -> BlockEdits:
    """Choose what stands for a group in every column of a block, so that the rules hold.

    Parameters
    ----------
    block
        The variables that are grouped together.
    rules
        All rules; those that do not touch the block are left aside.
    kinds
        The kind of every protected variable.
    protected
        All variables that are protected, in this block or another. The rest of the file stays as it is.
    texts
        The columns that hold texts.
    given
        Replacements that were asked for, by column; they are kept, or refused if they break a rule.
    repair
        Whether bounds may be broken in the file: what they bound is then averaged, so that it can be moved.

    Raises
    ------
    RuleError
        A rule cannot be kept; the message names it and says what would serve.
    """
    return _Planner(tuple(block), kinds, frozenset(protected), given or {}, repair).plan(list(rules), frozenset(texts))


class _Planner:
    """Plans one block."""

    def __init__(
        self,
        block: tuple[str, ...],
        kinds: Mapping[str, str],
        protected: frozenset[str],
        given: Mapping[str, str],
        repair: bool,
    ) -> None:
        self._block, self._kinds, self._protected, self._given = block, kinds, protected, given
        self._repair = repair
        self._reasons: list[str] = []

    def plan(self, rules: list[Rule], texts: frozenset[str]) -> BlockEdits:
        asked = [
            (rule, one)
            for rule in rules
            for one in requirements(rule.expression, texts)
            if set(one.variables).intersection(self._block)
        ]
        for rule, one in asked:
            apart = sorted(set(one.variables) & self._protected - set(self._block))
            if apart:
                raise RuleError(
                    f'The rule "{rule.shown}" joins "{apart[0]}" to another block. Put its variables into one block, '
                    "or leave blocks out."
                )
        atoms = [atom for _, one in asked for alternative in one.alternatives for atom in alternative]
        atoms = [atom for atom in atoms if self._speaks_of_block_alone(atom)]
        operators, whole = self._operators(atoms)
        equalities = [atom for atom in atoms if isinstance(atom, Linear | Product) and _is_equality(atom)]
        following = {name: atom for atom, name in dependents(equalities, self._computed(operators), whole)}
        joint = self._mix_products(equalities, operators, following)
        demands, unpromised = [], []
        for rule, one in asked:
            kept = tuple(
                alternative
                for alternative in one.alternatives
                if all(self._keeps(atom, operators, whole, following, joint) for atom in alternative)
            )
            if not kept:
                self._refuse(rule, one, [other for other, _ in asked])
            demands.append(Demand(rule, kept))
            opaque = any(isinstance(atom, Opaque) for alternative in kept for atom in alternative)
            if opaque and not self._is_medoid(operators) and rule not in unpromised:
                unpromised.append(rule)
        for rule in unpromised:
            self._reasons.append(f'No representative is sure to keep "{rule.shown}": it is checked after masking.')
        return BlockEdits(
            columns=self._block,
            demands=tuple(demands),
            operators=operators,
            whole=whole,
            joint=joint,
            following=tuple(name for name in self._block if name in following),
            reasons=tuple(self._reasons),
            unpromised=tuple(unpromised),
        )

    def _speaks_of_block_alone(self, atom: Atom) -> bool:
        return set(atom.variables) <= set(self._block)

    def _computed(self, operators: Mapping[str, str]) -> list[str]:
        return [name for name, operator in operators.items() if operator in ("mean", "geometric-mean")]

    def _is_medoid(self, operators: Mapping[str, str]) -> bool:
        return all(operator == _WHOLE_RECORDS for operator in operators.values())

    def _operators(self, atoms: Sequence[Atom]) -> tuple[dict[str, str], frozenset[str]]:
        """Choose an operator for every variable, from the rules that name it."""
        sums = {name for atom in atoms if isinstance(atom, Linear) and _is_equality(atom) for name in atom.variables}
        products = {name for atom in atoms if isinstance(atom, Product) for name in atom.variables}
        tests: dict[str, list[Single]] = {}
        for atom in atoms:
            if isinstance(atom, Single):
                tests.setdefault(atom.variable, []).append(atom)
        counted = {name for name, of in tests.items() if all(isinstance(one.source, IsInteger) for one in of)}
        bounded = {name for atom in atoms if isinstance(atom, Linear) for name in atom.variables}
        chosen: dict[str, str] = {}
        whole = set()
        for name in self._block:
            if name in self._given:
                chosen[name] = self._given[name]
            elif self._kinds[name] != "continuous":
                chosen[name] = "median" if self._kinds[name] == "ordinal" else "mode"
            elif name in sums or (name in bounded and name in counted and self._repair):
                chosen[name] = "mean"
            elif name in products:
                chosen[name] = "geometric-mean"
            elif name in tests:
                chosen[name] = "median"
            if name in counted and chosen[name] == "mean":
                whole.add(name)
        self._spread(atoms, chosen)
        self._say(tests, "median", "keeps to values that occur", chosen)
        self._say(sums, "mean", "keeps sums", chosen)
        self._say(products - sums, "geometric-mean", "keeps products", chosen)
        if whole:
            self._reasons.append(f"{_listed(sorted(whole))}: rounded to whole numbers.")
        return {name: chosen[name] for name in self._block}, frozenset(whole)

    def _say(self, names: Collection[str], operator: str, why: str, chosen: Mapping[str, str]) -> None:
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

    def _mix_products(
        self, equalities: Sequence[Linear | Product], operators: Mapping[str, str], following: Mapping[str, Atom]
    ) -> bool:
        """Return whether a product that meets a sum has no variable of its own that could follow from the others."""
        joint = False
        for atom in equalities:
            if not isinstance(atom, Product) or all(operators[name] == "geometric-mean" for name in atom.variables):
                continue
            follower = next((name for name, one in following.items() if one is atom), None)
            elsewhere = {name for other in equalities if other is not atom for name in other.variables}
            if follower is not None and follower not in elsewhere:
                self._reasons.append(f'"{follower}": computed from the others, because its product meets a sum.')
            else:
                joint = True
        if joint:
            self._reasons.append(
                "Representatives are projected onto all rules together: sums and products go in a circle."
            )
        return joint

    def _keeps(
        self,
        atom: Atom,
        operators: Mapping[str, str],
        whole: frozenset[str],
        following: Mapping[str, Atom],
        joint: bool,
    ) -> bool:
        """Return whether representatives keep an atom, or are made to and checked afterwards."""
        names = set(atom.variables)
        if not names & self._protected:
            return True  # nothing of it changes
        if not self._speaks_of_block_alone(atom):
            return False  # what stays as it is does not fit what changes
        used = {operators[name] for name in names}
        if used == {_WHOLE_RECORDS} or isinstance(atom, Opaque):
            return True
        if _WHOLE_RECORDS in used:
            return len(names) == 1
        if isinstance(atom, Single):
            return all(_selects(operator) for operator in used) or (
                isinstance(atom.source, IsInteger) and atom.variable in whole
            )
        if isinstance(atom, Product):
            return used <= {"mean", "geometric-mean"} and (
                joint or used == {"geometric-mean"} or any(one is atom for one in following.values())
            )
        if len(names) == 1:
            return True  # all operators stay between the smallest and the largest value
        if used == {"mean"}:
            return True
        if used <= {"mean", "geometric-mean"} and joint:
            return True
        if names & set(following) and used <= {"mean", "geometric-mean"}:
            return True  # computed from others: checked afterwards
        if len(names) > 2 or atom.coefficients[atom.variables[0]] * atom.coefficients[atom.variables[1]] > 0:
            return False
        if len(used) == 1 and all(_selects(operator) and operator != "mode" for operator in used):
            return True
        low, high = sorted(names, key=lambda name: atom.coefficients[name], reverse=True)
        larger_by_mean = operators[low] == "geometric-mean" and operators[high] == "mean" and atom.relation != "=="
        return atom.constant == 0 and (used == {"geometric-mean"} or larger_by_mean)

    def _refuse(self, rule: Rule, one: Requirement, rules: Sequence[Rule]) -> None:
        unprotected = [name for name in one.variables if name not in self._protected]
        if unprotected:
            raise RuleError(
                f'The rule "{rule.shown}" names "{unprotected[0]}", which is not protected: what stays does not fit '
                f"what changes. Add it to the columns, or leave the rule out."
            )
        asked = dict.fromkeys(self._given[name] for name in one.variables if name in self._given)
        if asked:
            raise RuleError(
                f'replace "{" and ".join(asked)}" does not keep the rule "{rule.shown}". Leave replace out, and '
                'shoal chooses; or say replace="medoid" to release one of the records of each group.'
            )
        others = dict.fromkeys(other.shown for other in rules if set(other.variables) & set(one.variables))
        others.pop(rule.shown, None)
        besides = " and ".join(f'"{other}"' for other in list(others)[:3])
        raise RuleError(
            f'No average keeps the rule "{rule.shown}"{f" together with {besides}" if besides else ""}. Leave one out, '
            'or say replace="medoid" to release one of the records of each group.'
        )


def _selects(operator: str) -> bool:
    """Whether a replacement picks one of the values of the group; an order statistic comes with its share."""
    return operator in ("median", "mode") or operator.startswith("order-statistic")


def _is_equality(atom: Atom) -> bool:
    return isinstance(atom, Product) or (
        isinstance(atom, Linear) and atom.relation == "==" and len(atom.coefficients) > 1
    )


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)
