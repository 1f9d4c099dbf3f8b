"""What rules require of the variables that synthetic data rewrite, while the others stay as they are.

Every record gets values of its own, so that rules are kept record by record. The values that stay are numbers there:
what is left of a sum or a bound is one of the rewritten variables, and a condition on what stays is known to hold or
not. A rule that cannot be kept is refused before anything is masked.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from shoal.edits.atoms import Atom, Linear, Requirement, Single, requirements
from shoal.edits.expressions import Among, InOriginal, IsInteger
from shoal.edits.keep.block_edits import Demand
from shoal.edits.keep.records.record_definitions import RecordDefinition, definitions_of_records
from shoal.edits.rules import Rule
from shoal.errors import RuleError

__all__ = ["RecordEdits", "edits_of_records"]


@dataclass(frozen=True)
class RecordEdits:
    """What the rules require of the rewritten variables of one block.

    Attributes
    ----------
    columns
        The numbers that are rewritten.
    demands
        What has to hold, each with the alternatives that can be kept.
    whole
        Variables of which a rule says that they are whole numbers.
    listed
        Tests of variables that have one of several values, by variable.
    computed
        Variables that are computed from others, in this order.
    """

    columns: tuple[str, ...]
    demands: tuple[Demand, ...]
    whole: frozenset[str]
    listed: Mapping[str, tuple[Single, ...]]
    computed: tuple[RecordDefinition, ...]

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The rules that have to be kept; what the others require has no rewritten variable in it."""
        return tuple(dict.fromkeys([*(one.rule for one in self.demands), *(one.rule for one in self.computed)]))

    def linear(self, *, equalities: bool) -> list[tuple[Rule, Linear]]:
        """Return the sums, or the bounds, that have a rewritten variable, in the order of the rules."""
        return [
            (demand.rule, atom)
            for demand in self.demands
            for alternative in demand.alternatives
            for atom in alternative
            if isinstance(atom, Linear)
            and (atom.relation == "==") == equalities
            and not set(self.columns).isdisjoint(atom.variables)
        ]


def edits_of_records(
    rewritten: Sequence[str],
    rules: Iterable[Rule],
    kinds: Mapping[str, str],
    texts: Collection[str],
    whole: Collection[str],
    elsewhere: Collection[str] = (),
    orders: Mapping[str, Sequence[str]] | None = None,
) -> RecordEdits:
    """Say what the rules require of variables that are rewritten together.

    Parameters
    ----------
    rewritten
        The variables that get new values. Of categories among them rules are kept that name nothing else.
    rules
        All rules; those without such a variable are skipped, because nothing of them changes.
    kinds
        The kind of every protected variable.
    texts
        The columns that hold texts.
    whole
        The rewritten variables that have whole numbers in all records.
    elsewhere
        Variables that are rewritten in another block.
    orders
        The categories of the columns that have ordered ones, in their order.

    Raises
    ------
    RuleError
        A rule cannot be kept; the message names it and says what to do.
    """
    required = [
        (rule, one)
        for rule in rules
        for one in requirements(rule.expression, texts, orders or {})
        if not set(rewritten).isdisjoint(one.variables)
    ]
    for rule, one in required:
        apart = [name for name in one.variables if name in elsewhere]
        if apart:
            raise RuleError(
                f'The rule "{rule.shown}" joins "{apart[0]}" to another block. Put its variables into one block, '
                "or leave blocks out.",
                rule=rule.text,
            )
    kept = [_kept(one, rewritten, kinds, whole) for _, one in required]
    numbers = [name for name in rewritten if kinds[name] == "continuous"]
    needed = [place for place, ways in enumerate(kept) if not ways]
    computed = definitions_of_records(required, needed, numbers, texts)
    if isinstance(computed, int):
        raise _not_kept(required, needed, computed)
    demands = [Demand(rule, kept[place]) for place, (rule, _) in enumerate(required) if place not in computed]
    singles = [
        atom
        for demand in demands
        for alternative in demand.alternatives
        for atom in alternative
        if isinstance(atom, Single) and atom.variable in numbers
    ]
    listed: dict[str, tuple[Single, ...]] = {}
    for atom in singles:
        if not isinstance(atom.source, IsInteger):
            listed[atom.variable] = (*listed.get(atom.variable, ()), atom)
    integers = frozenset(atom.variable for atom in singles if isinstance(atom.source, IsInteger))
    edits = RecordEdits(tuple(numbers), tuple(demands), integers, listed, tuple(computed.values()))
    _refuse_two_lists(edits)
    return edits


def _kept(
    one: Requirement, rewritten: Sequence[str], kinds: Mapping[str, str], whole: Collection[str]
) -> tuple[tuple[Atom, ...], ...]:
    """Return the alternatives of a requirement that can be kept."""
    is_alone = len(one.alternatives) == 1 and len(one.alternatives[0]) == 1

    def is_kept(atom: Atom) -> bool:
        changing = [name for name in atom.variables if name in rewritten]
        if not changing:
            return True
        if any(kinds[name] != "continuous" for name in changing):
            return is_alone and isinstance(atom, Single)  # new categories are some that occur
        if isinstance(atom, Single):
            if isinstance(atom.source, IsInteger):
                return atom.variable in whole
            return is_alone and isinstance(atom.source, Among | InOriginal)
        return isinstance(atom, Linear)

    return tuple(alternative for alternative in one.alternatives if all(map(is_kept, alternative)))


def _not_kept(required: Sequence[tuple[Rule, Requirement]], needed: Sequence[int], place: int) -> RuleError:
    """Return the error for a rule that cannot be kept, by itself or beside one that defines a variable."""
    rule = required[place][0]
    others = [required[other][0] for other in needed if other != place and place not in needed]
    beside = f' beside "{others[0].shown}"' if others else ""
    return RuleError(
        f'Synthetic values keep sums, bounds, lists of values and definitions; they cannot keep the rule "{rule.shown}"'
        f"{beside}. Leave it out, or leave its variables out of confidential.",
        rule=rule.text,
    )


def _refuse_two_lists(edits: RecordEdits) -> None:
    """Raise RuleError if a rule ties variables all of which have one of several values."""
    for equalities in (True, False):
        for rule, atom in edits.linear(equalities=equalities):
            own = [name for name in atom.variables if name in edits.columns]
            if len(own) > 1 and set(own) <= set(edits.listed):
                raise RuleError(
                    f'The rule "{rule.shown}" ties "{own[0]}" and "{own[1]}", both of which have listed values: '
                    "synthetic values cannot keep that. Leave a rule out.",
                    rule=rule.text,
                )
