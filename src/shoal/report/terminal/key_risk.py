"""The risk of a file over its key variables, as text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from shoal.report.terminal.names import first_names, one_line
from shoal.report.terminal.table import table_text
from shoal.report.wording import whole_text

if TYPE_CHECKING:
    from shoal.measure.risk.keys.overview import KeyReading, KeyRisk
    from shoal.recode.effect import KeyCounts, RecodeEffect

__all__ = ["key_risk_text", "recoded_risk_text"]

_AS_CATEGORY = "a missing value counts as a category: it agrees with missing values only"
_AS_WILDCARDS = "as wildcards, if a missing value agrees with every value"
_NOT_COUNTED = "not counted: too many values are missing to do it in time"


def key_risk_text(name: str, risk: KeyRisk, *, guessed: bool = False) -> str:
    """Return the risk in plain words, a fact a line; `guessed` if nobody named the keys."""
    rows = list(_facts(risk))
    wild = [] if risk.as_wildcards is None else list(_wildcard_facts(risk.as_wildcards, risk))
    width = max(len(word) for word, _ in rows)
    lines = [_first_line(name, risk, guessed), "", *(f"{word:<{width}}  {text}" for word, text in rows)]
    if risk.suda_records and risk.suda_contributions:
        shares = sorted(risk.suda_contributions.items(), key=lambda one: -one[1])
        table = [(one_line(key), f"{share:.1f} %") for key, share in shares]
        lines += ["", table_text(("key", "in SUDA scores"), table, right={1})]
    if risk.confidential:
        told = [
            (one_line(one.column), f"{one.values:,}", f"{one.alike:,}", f"{one.distance:.4f}")
            for one in risk.confidential
        ]
        head = ("confidential", "fewest values", "records with one", "largest distance")
        lines += ["", table_text(head, told, right={1, 2, 3})]
    if risk.riskiest:
        lines += ["", _riskiest(risk)]
    if risk.incomplete:
        lines += ["", f"{_AS_WILDCARDS}{':' if wild else f': {_NOT_COUNTED}'}"]
        lines += [f"{word:<{width}}  {text}" for word, text in wild]
    return "\n".join(lines)


def recoded_risk_text(
    name: str, before: KeyRisk, after: KeyRisk, effect: RecodeEffect, *, guessed: bool = False
) -> str:
    """Return the risk before recodes and after them, side by side, and what each recode does for k."""
    incomplete = bool(before.incomplete or after.incomplete)
    both = (_numbers(risk, with_wildcards=incomplete) for risk in (before, after))
    rows = [(word, own, new) for (word, own), (_, new) in zip(*both, strict=True) if own or new]
    lines = [_first_line(name, after, guessed)]
    if incomplete:
        lines.append(_AS_CATEGORY)
    lines += ["", table_text(("", "as it is", "recoded"), rows, right={1, 2}), "", "each recode alone:"]
    table = [("as it is", "", *_below_k(effect.before, effect))]
    for column, counts in effect.alone.items():
        values = f"{effect.before.values[column]:,} to {counts.values[column]:,}"
        table.append((one_line(column), values, *_below_k(counts, effect)))
    if len(effect.alone) > 1:
        table.append(("all together", "", *_below_k(effect.together, effect)))
    lines.append(table_text(("recoded", "values", "k", f"below k = {effect.k:,}"), table, right={1, 2, 3}))
    if after.riskiest:
        lines += ["", "the riskiest records, recoded:", _riskiest(after)]
    return "\n".join(lines)


def _below_k(counts: KeyCounts, effect: RecodeEffect) -> tuple[str, str]:
    return f"{counts.k:,}", _share(counts.below_k, effect.records)


def _numbers(risk: KeyRisk, *, with_wildcards: bool) -> Iterator[tuple[str, str]]:
    """Give every fact with its number alone; `with_wildcards` if they are told of this file or the one beside it."""
    yield "records with a missing key", f"{risk.incomplete:,}" if risk.incomplete else ""
    yield "combinations", f"{risk.combinations:,}"
    yield from _reading_numbers(risk, risk.records)
    yield "records with a SUDA score", "" if risk.suda_records is None else f"{risk.suda_records:,}"
    yield "the largest SUDA score", "" if risk.suda_largest is None else whole_text(risk.suda_largest)
    for one in risk.confidential:
        name = one_line(one.column)
        yield f"{name}: fewest values", f"{one.values:,}"
        yield f"{name}: records with one", f"{one.alike:,}"
        yield f"{name}: largest distance", f"{one.distance:.4f}"
    if with_wildcards:
        wild = risk.wildcard_reading
        for word, text in _reading_numbers(wild or risk, risk.records):
            yield f"as wildcards: {word}", "not counted" if wild is None and text else text


def _reading_numbers(reading: KeyReading, records: int) -> Iterator[tuple[str, str]]:
    yield "k, the fewest that agree", f"{reading.k:,}"
    yield "uniques", _share(reading.uniques, records)
    for k, count in reading.violators.items():
        yield f"below k = {k}", _share(count, records)
    yield "expected re-identifications", f"{reading.expected:,.2f}"
    yield "the same with units", "" if reading.household_expected is None else f"{reading.household_expected:,.2f}"


def _first_line(name: str, risk: KeyRisk, guessed: bool) -> str:
    keys = first_names(risk.keys, most=12)
    by = f"{len(risk.keys)} keys: {keys}" if len(risk.keys) > 1 else f"1 key: {keys}"
    if guessed:
        by += " (the columns that seem to be categories; name yours with --keys)"
    return f"{name}: {_records(risk.records)}, {by}"


def _facts(risk: KeyRisk) -> Iterator[tuple[str, str]]:
    if risk.incomplete:
        yield "missing", f"{_records(risk.incomplete)} with a missing key; {_AS_CATEGORY}"
    yield "combinations", f"{risk.combinations:,} different ones; {_k_text(risk)}"
    yield from _reading_facts(risk, risk)
    yield "special uniques", _special(risk)


def _reading_facts(reading: KeyReading, risk: KeyRisk) -> Iterator[tuple[str, str]]:
    """Give the facts of one reading of missing values, but for k."""
    yield "uniques", f"{_share(reading.uniques, risk.records)} that no other agrees with"
    for k, count in reading.violators.items():
        yield f"below k = {k}", f"{_share(count, risk.records)} that agree with fewer than {k:,}, themselves counted"
    how = "" if risk.weighted else "; without weights the file is taken as the population"
    yield "re-identified", f"{reading.expected:,.2f} records expected, {100 * reading.global_risk:.2f} % of all{how}"
    if reading.household_expected is not None:
        share = 100 * reading.household_expected / risk.records
        yield (
            "with units",
            f"{reading.household_expected:,.2f} records expected, {share:.2f} % of all, if one member gives away "
            f"the others; {risk.units:,} units",
        )


def _wildcard_facts(reading: KeyReading, risk: KeyRisk) -> Iterator[tuple[str, str]]:
    yield "agreeing", _k_text(reading)
    yield from _reading_facts(reading, risk)


def _k_text(reading: KeyReading) -> str:
    return f"k = {reading.k:,}, the fewest records that agree"


def _special(risk: KeyRisk) -> str:
    if risk.suda_records is None or risk.suda_size is None:
        return "not looked for (SUDA is not computed on a cluster)"
    up_to = f"sets of up to {risk.suda_size} keys" if risk.suda_size < len(risk.keys) else "all sets of keys"
    if not risk.suda_records:
        return f"none (SUDA, {up_to})"
    return (
        f"{_records(risk.suda_records)} with a SUDA score, the largest {whole_text(risk.suda_largest or 0)}; the "
        f"largest DIS score {risk.dis_largest:.4f} ({up_to})"
    )


def _riskiest(risk: KeyRisk) -> str:
    with_unit = risk.household_expected is not None
    head = ["record", "risk", *(["with unit"] if with_unit else []), "in file", "in population", "SUDA"]
    rows = [
        [
            f"{one.record:,}",
            f"{one.risk:.4f}",
            *([f"{one.household_risk:.4f}"] if with_unit else []),
            f"{one.sample:,}",
            whole_text(one.population),
            whole_text(one.suda),
        ]
        for one in risk.riskiest
    ]
    return table_text(head, rows, right=set(range(len(head))))


def _records(count: int) -> str:
    return f"{count:,} record{'s' if count != 1 else ''}"


def _share(count: int, records: int) -> str:
    return f"{_records(count)} ({100 * count / records:.2f} %)"
