"""Rules: whether they can be read, how many records break them, which hold in the data, and how they will be kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from shoal.edits import Rule, SuggestedRule, check, parse_rule, read_edits, suggested_rules
from shoal.errors import RuleError, ShoalError
from shoal.flow.explained_rules import explain
from shoal.flow.job.reading import Job
from shoal.flow.rules.recoded_rules import refuse_recoded_rules
from shoal.flow.settle import settle
from shoal.recode.catalogue import written_recodes
from shoal.report.terminal.explanation import explanation_text
from shoal.studio.tasks.tables import recoded_of, table_of

__all__ = ["CheckedRule", "CheckedRules", "LoadedRules", "checked", "how_kept", "loaded", "suggested"]


@dataclass(frozen=True)
class CheckedRule:
    """A rule on the recoded file.

    Attributes
    ----------
    text
        The rule as it was written.
    problem
        Why it cannot be read or checked; "" if it can.
    kind, is_linear
        What it is; whether it consists of sums and bounds alone, which a release can repair.
    broken, missing, first
        How many records break it, how many have a missing value in one of its variables, and the numbers of the first
        that break it.
    """

    text: str
    problem: str = ""
    kind: str = ""
    is_linear: bool = False
    broken: int = 0
    missing: int = 0
    first: tuple[int, ...] = ()


@dataclass(frozen=True)
class CheckedRules:
    """Rules that were checked; `problem` says why they cannot hold together, "" if they can."""

    rules: tuple[CheckedRule, ...]
    records: int
    problem: str = ""


@dataclass(frozen=True)
class LoadedRules:
    """The rules of a file as texts, and how many of them no line of text can say."""

    texts: tuple[str, ...]
    left_out: int


def checked(source: dict[str, Any], options: dict[str, Any], rules: list[str]) -> CheckedRules:
    """Check rules on the file, once recoded; one that cannot be checked says why and stops no other."""
    recoded = recoded_of(source, options)
    statuses: list[CheckedRule] = []
    good: list[Rule] = []
    for text in rules:
        try:
            rule = parse_rule(text)
            rule.refuse_unknown(recoded.table.names)
            refuse_recoded_rules([rule], written_recodes(options.get("recodes")), recoded, repair=True)
            (status,) = check(recoded.table, [rule], original=recoded.table, first=5).rules
        except RuleError as error:
            statuses.append(CheckedRule(text, problem=str(error)))
            continue
        good.append(rule)
        statuses.append(
            CheckedRule(
                text,
                kind=status.kind,
                is_linear=rule.is_linear,
                broken=status.broken,
                missing=status.missing,
                first=status.first,
            )
        )
    return CheckedRules(tuple(statuses), len(recoded.table), _contradiction(good, recoded.table))


def _contradiction(rules: list[Rule], table: Any) -> str:
    try:
        if len(rules) > 1:
            check(table, rules, original=table, first=0)
    except RuleError as error:
        return str(error)
    return ""


def loaded(source: dict[str, Any], path: str, name: str) -> LoadedRules:
    """Read a file of rules, Schematron or text; errors call it by the user's name for it."""
    try:
        rules = read_edits(path)
    except ShoalError as error:
        raise RuleError(str(error).replace(path, name)) from None
    texts = [rule.text for rule in rules if _reads_the_same(rule)]
    return LoadedRules(tuple(dict.fromkeys(texts)), len(rules) - len(texts))


def _reads_the_same(rule: Rule) -> bool:
    try:
        return parse_rule(rule.text).text == rule.text and "\n" not in rule.text
    except RuleError:
        return False


def suggested(source: dict[str, Any], options: dict[str, Any], most: int = 30) -> list[SuggestedRule]:
    """Return rules that every record keeps, once recoded."""
    return suggested_rules(recoded_of(source, options).table, most=most)


def how_kept(source: dict[str, Any], k: int, options: dict[str, Any], name: str) -> str:
    """Return how the rules would be kept, as `shoal protect --explain` prints it. Nothing is released."""
    job = Job(k=k, options=options)
    settled = settle(table_of(source), k, **job.with_options({}))
    return explanation_text(name, len(settled.table), settled.plan, explain(settled.plan, settled.table))
