"""What the rules require of a block of variables, and which representatives of a group keep them.

Variables joined by a rule form one block. In it, sums are kept by arithmetic means, products by geometric means, lists
of values and whole numbers by medians, categories by modes. Where these do not go together, a variable that an equality
can be solved for is computed from the others; where every variable of a product is in another equality too,
representatives are projected onto all rules together. Conditional rules split the file. A rule that no representative
keeps is refused before anything is masked.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import NoReturn

from shoal.edits.atoms import Atom, Requirement, requirements
from shoal.edits.keep.operator_choice import COMPUTED, ChosenOperators, OperatorChoice
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
    counts
        All variables that are whole numbers, those among them whose representative is a value that occurs.
    joint
        Whether representatives are projected onto all rules together, because a product has no variable of its own
        that could be computed from the others.
    dependent
        Variables that are computed from the others of an equality.
    reasons
        Why the representatives were chosen, a sentence each.
    uncertain
        Rules that representatives may have to be moved for, group by group, before anything is masked.
    drawn
        Whether representatives are the centres of clusters, drawn by membership: all are means then.
    """

    columns: tuple[str, ...]
    demands: tuple[Demand, ...]
    operators: Mapping[str, str]
    whole: frozenset[str] = frozenset()
    counts: frozenset[str] = frozenset()
    joint: bool = False
    dependent: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    uncertain: tuple[Rule, ...] = ()
    drawn: bool = False

    @property
    def way_out(self) -> str:
        """What else keeps a rule that averages do not keep."""
        return _way_out(self.drawn)

    @property
    def movable(self) -> list[str]:
        """The variables whose representatives are computed, so that they may be moved to where a rule holds."""
        return [name for name in self.columns if self.operators[name] in COMPUTED]

    def among(self, names: Collection[str]) -> BlockEdits:
        """Return the same for some of the variables alone."""
        return replace(
            self,
            columns=tuple(name for name in self.columns if name in names),
            whole=self.whole.intersection(names),
            counts=self.counts.intersection(names),
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
    orders: Mapping[str, Sequence[str]] | None = None,
    repair: bool = False,
    drawn: bool = False,
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
    orders
        The categories of the columns that hold ordered ones, in their order.
    repair
        Whether records may break sums and bounds: variables with bounds are then averaged, so that they can be moved.
    drawn
        Whether representatives are the centres of clusters, drawn by membership. They are means, and `replacements` is
        not looked at.

    Raises
    ------
    RuleError
        A rule cannot be kept; the message names it and says what to do.
    """
    asked = dict.fromkeys(block, "mean") if drawn else replacements or {}
    choice = _RepresentativeChoice(tuple(block), kinds, frozenset(protected), asked, repair, drawn)
    required = [(rule, one) for rule in rules for one in requirements(rule.expression, texts, orders or {})]
    return choice.edits([(rule, one) for rule, one in required if set(one.variables).intersection(block)])


class _RepresentativeChoice:
    """Chooses the representatives of one block."""

    def __init__(
        self,
        block: tuple[str, ...],
        kinds: Mapping[str, str],
        protected: frozenset[str],
        replacements: Mapping[str, str],
        repair: bool,
        drawn: bool,
    ) -> None:
        self._block, self._kinds, self._protected, self._replacements = block, kinds, protected, replacements
        self._repair, self._drawn = repair, drawn

    def edits(self, required: Sequence[tuple[Rule, Requirement]]) -> BlockEdits:
        """Return how the block keeps what rules require of its variables."""
        for rule, one in required:
            apart = sorted(set(one.variables) & self._protected - set(self._block))
            if apart:
                raise RuleError(
                    f'The rule "{rule.shown}" joins "{apart[0]}" to another block. Put its variables into one block, '
                    "or leave blocks out."
                )
        try:
            return self._with_averages(required, computes_products=False)
        except RuleError:
            # Bounds that geometric means do not keep are kept where one variable of a product is computed last.
            with suppress(RuleError):
                return self._with_averages(required, computes_products=True)
            raise

    def _with_averages(self, required: Sequence[tuple[Rule, Requirement]], *, computes_products: bool) -> BlockEdits:
        atoms = [atom for _, one in required for alternative in one.alternatives for atom in alternative]
        choice = OperatorChoice(self._block, self._kinds, self._replacements, self._repair, computes_products)
        chosen = choice.chosen([atom for atom in atoms if self._is_within_block(atom)])
        demands, uncertain = self._demands(required, chosen)
        reasons = [f'"{rule.shown}": tried on the groups, before anything is masked.' for rule in uncertain]
        return BlockEdits(
            columns=self._block,
            demands=tuple(demands),
            operators=chosen.operators,
            whole=chosen.whole,
            counts=chosen.counts,
            joint=chosen.joint,
            dependent=tuple(name for name in self._block if name in chosen.dependent),
            reasons=(*choice.reasons, *reasons),
            uncertain=tuple(uncertain),
            drawn=self._drawn,
        )

    def _demands(
        self, required: Sequence[tuple[Rule, Requirement]], chosen: ChosenOperators
    ) -> tuple[list[Demand], list[Rule]]:
        """Return the alternatives of every requirement that are kept, and the rules that not every group may keep."""
        demands: list[Demand] = []
        uncertain: dict[Rule, None] = {}
        for rule, one in required:
            kept = tuple(
                alternative
                for alternative in one.alternatives
                if all(self._keeps(atom, chosen) for atom in alternative)
            )
            if not kept:
                self._refuse(rule, one, [other for other, _ in required])
            demands.append(Demand(rule, kept))
            within = [atom for alternative in kept for atom in alternative if self._is_within_block(atom)]
            if not all(chosen.surely_keep(atom) for atom in within):
                uncertain[rule] = None
        return demands, list(uncertain)

    def _is_within_block(self, atom: Atom) -> bool:
        return set(atom.variables) <= set(self._block)

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
        if chosen and not self._drawn:
            raise RuleError(
                f'replace "{" and ".join(chosen)}" does not keep the rule "{rule.shown}". Leave replace out, and '
                f"shoal chooses; or {_way_out(self._drawn)}."
            )
        others = dict.fromkeys(other.shown for other in rules if set(other.variables) & set(one.variables))
        others.pop(rule.shown, None)
        listed = " and ".join(f'"{other}"' for other in list(others)[:3])
        raise RuleError(
            f'No average keeps the rule "{rule.shown}"{f" together with {listed}" if listed else ""}. Leave one out, '
            f"or {_way_out(self._drawn)}."
        )


def _way_out(drawn: bool) -> str:
    if drawn:
        return 'use the method "mdav"'
    return 'say replace="medoid" to release one of the records of each group'
