"""The sections on key variables: their risk before and after, the riskiest records, recodes, and PRAM's chances."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from markupsafe import Markup

from shoal.report.facts.keys.key_facts import KeyCountFacts, KeyRiskFacts, ToldFacts
from shoal.report.facts.summary import Summary
from shoal.report.page.parts import PageRow, PageSection, PageTable, name_markup, names_markup
from shoal.report.wording import printable, whole_text

__all__ = ["key_sections"]

_MOST_ROWS = 40
_MOST_CHANCES = 400
_NOT_SAID = "not given"


def key_sections(summary: Summary) -> Iterator[PageSection]:
    """Give the risk over key variables and what was done about it, each section only if there are facts for it."""
    if summary.key_risk is not None:
        yield _risk(summary, summary.key_risk)
    if summary.key_risk is not None and summary.key_risk.riskiest:
        yield _riskiest(summary.key_risk)
    if summary.recode_effects:
        yield _recodes(summary)
    if summary.transitions:
        yield _transitions(summary)


def _risk(summary: Summary, risk: KeyRiskFacts) -> PageSection:
    rows = [row for row in _rows(summary, risk) if any(row[1:])]
    head = ("", "before", "after") if risk.before else ("", "in the release")
    table = PageTable("Risk over key variables", head, rows, frozenset(range(1, len(head))))
    return PageSection("key-risk", "Risk over key variables", list(_text(summary, risk)), table=table)


def _text(summary: Summary, risk: KeyRiskFacts) -> Iterator[str]:
    why = "" if risk.are_named else "; no column has the role key, so that protected categories and strata are taken"
    yield Markup("Key variables: {}{}.").format(names_markup(risk.keys), why)
    files = "Before is the original, once recoded; after is the release. " if risk.before else ""
    yield f"{files}Records agree if they have the same values in all key variables; a missing value is a category."
    if _has_wildcards(risk):
        yield "As wildcards: the same if a missing value agrees with every value, as for an intruder."
    if all(one.expected is None for one in risk.after):
        yield "What would tell of fewer than k records is not given."
    elif risk.weights is None:
        yield "There are no sampling weights: the file is taken as the population, where 1 of f records is found."
    else:
        yield Markup("Expected re-identifications are estimated with the sampling weights {}.").format(
            name_markup(risk.weights)
        )
    if risk.before and any(one.confidential for one in risk.before):
        yield (
            "Confidential variables: if records that agree have one value only, whoever knows the keys knows it; "
            "after protection it may be one that a group shares. The distance is that from the file, from 0 to 1."
        )
    if risk.are_perturbed:
        yield "The release has values that are not those of their records: one that agrees may be another person's."
    if risk.left_out:
        yield risk.left_out


def _rows(summary: Summary, risk: KeyRiskFacts) -> Iterator[PageRow]:
    before, after = (_way(own, "category") for own in (risk.before, risk.after))
    sides = [after] if before is None else [before, after]
    yield "different combinations", *_counts([None if one is None else one.combinations for one in sides])
    yield from _agreeing(sides, summary.records)
    if before is None or after is None:
        return
    yield _special(risk), *_counts([before.suda_records, after.suda_records])
    if any(one.suda_records for one in sides if one is not None):
        yield "the largest SUDA score", *_counts([before.suda_largest, after.suda_largest])
    for old, new in zip(before.confidential, after.confidential, strict=True):
        yield from _told(old, new)
    if _has_wildcards(risk):
        wild = [_way(own, "wildcard") or (None if risk.left_out else own[0]) for own in (risk.before, risk.after)]
        yield from _agreeing(wild, summary.records, "as wildcards: ")


def _agreeing(sides: Sequence[KeyCountFacts | None], records: int, way: str = "") -> Iterator[PageRow]:
    """Give how many records agree, and how many are expected to be found."""
    yield f"{way}k, the fewest records that agree", *_counts([None if one is None else one.k for one in sides])
    thresholds = next((list(one.below) for one in sides if one is not None), [])
    for k in thresholds:
        name = "uniques, which no other record agrees with" if k == "2" else f"records that fewer than {k} agree with"
        yield way + name, *(_share(None if one is None else one.below[k], one, records) for one in sides)
    expected = ["" if one is None else _number(one.expected) for one in sides]
    yield f"{way}expected re-identifications", *expected
    if any(one is not None and one.with_units is not None for one in sides):
        with_units = ["" if one is None or one.with_units is None else _number(one.with_units) for one in sides]
        yield f"{way}the same, if one member gives away the unit", *with_units


def _special(risk: KeyRiskFacts) -> str:
    up_to = "" if risk.suda_size in (None, len(risk.keys)) else f", sets of up to {risk.suda_size} keys"
    return f"records with a SUDA score{up_to}"


def _told(old: ToldFacts, new: ToldFacts) -> Iterator[PageRow]:
    name = name_markup(old.column)
    yield Markup("{}: fewest values among records that agree").format(name), f"{old.values:,}", f"{new.values:,}"
    yield Markup("{}: records that agree with one value only").format(name), f"{old.alike:,}", f"{new.alike:,}"
    yield Markup("{}: largest distance").format(name), f"{old.distance:.3f}", f"{new.distance:.3f}"


def _riskiest(risk: KeyRiskFacts) -> PageSection:
    with_unit = any(one.with_unit is not None for one in risk.riskiest)
    head = ["record", "f", "F", "risk", *(["with its unit"] if with_unit else []), "SUDA"]
    rows = [
        [
            f"{one.record:,}",
            f"{one.sample:,}",
            whole_text(one.population),
            f"{one.risk:.4f}",
            *([f"{one.with_unit:.4f}"] if one.with_unit is not None else []),
            whole_text(one.suda),
        ]
        for one in risk.riskiest
    ]
    text = [
        "Before protection, by their numbers in the original; the first record is 1. f records of the file agree with "
        "it, and F of the population by the weights. Not to be published."
    ]
    table = PageTable("The riskiest records", head, rows, frozenset(range(1, len(head))))
    return PageSection("riskiest", "The riskiest records", text, table=table)


def _recodes(summary: Summary) -> PageSection:
    rows = [
        (
            name_markup(one.column) if one.column else "all together",
            Markup("<code>{}</code>").format(printable(one.how)) if one.how else "",
            "" if one.values is None else f"{one.values[0]:,} to {one.values[1]:,}",
            f"{one.below_k[0]:,} to {one.below_k[1]:,}",
        )
        for one in summary.recode_effects
    ]
    units = summary.key_risk is not None and summary.key_risk.unit is not None
    below = f"Records below k are those whose key variables fewer than k {'units' if units else 'records'} share"
    text = [f"What recodes did before records were grouped, each as if it were the only one. {below}."]
    head = ("variable", "recode", "values", "records below k")
    table = PageTable("What recodes did for k", head, rows, frozenset({2, 3}))
    return PageSection("recodes", "What recodes did for k", text, table=table, folded=len(rows) > _MOST_ROWS)


def _transitions(summary: Summary) -> PageSection:
    in_strata = any(one.stratum for one in summary.transitions)
    rows = [
        (
            name_markup(own.column),
            *([printable(", ".join(own.stratum))] if in_strata else []),
            name_markup(category),
            name_markup(other),
            f"{chance:.4f}",
        )
        for own in summary.transitions
        for category, chances in zip(own.categories, own.matrix, strict=True)
        for other, chance in zip(own.categories, chances, strict=True)
        if chance > 0
    ]
    text = [
        "How likely PRAM made a category of the original which category of the release. With it, and nothing else, "
        "frequencies of the original can be estimated from those of the release; invariant chances keep them."
    ]
    if len(rows) > _MOST_CHANCES:
        text.append(f"The first {_MOST_CHANCES} of {len(rows):,} chances; the JSON of this report has all.")
    head = ("variable", *(["stratum"] if in_strata else []), "category", "becomes", "chance")
    table = PageTable("Chances of PRAM", head, rows[:_MOST_CHANCES], frozenset({len(head) - 1}))
    return PageSection("transitions", "Chances of PRAM", text, table=table, folded=len(rows) > _MOST_ROWS)


def _way(own: Sequence[KeyCountFacts], missing: Literal["category", "wildcard"]) -> KeyCountFacts | None:
    return next((one for one in own if one.missing == missing), None)


def _has_wildcards(risk: KeyRiskFacts) -> bool:
    return any(_way(own, "wildcard") is not None for own in (risk.before, risk.after))


def _counts(counts: Sequence[float | None]) -> list[str]:
    return [_NOT_SAID if count is None else whole_text(count) for count in counts]


def _share(count: int | None, side: KeyCountFacts | None, records: int) -> str:
    if side is None:
        return ""
    if not count:
        return _NOT_SAID if count is None else "0"
    return f"{count:,} ({100 * count / records:.2f} %)"


def _number(expected: float | None) -> str:
    return _NOT_SAID if expected is None else f"{expected:,.2f}"
