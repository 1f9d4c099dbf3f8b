"""The risk over the keys: frequencies, violators of k, expected re-identifications, SUDA, the riskiest records."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from htmltools import Tag, TagList, tags
from shiny import Inputs, Outputs, Session, module, reactive, ui

from shoal.measure.risk.keys.overview import KeyReading, KeyRisk
from shoal.measure.risk.keys.riskiest import RiskyRecord
from shoal.report.wording import whole_text
from shoal.studio.pages.asked_task import AskedTask
from shoal.studio.pages.keys.looked_at import LookedAt, looked_at
from shoal.studio.pages.page_part import PagePart
from shoal.studio.pages.parts import data_table, empty, notice, picture, sending_button
from shoal.studio.pages.view import View
from shoal.studio.tasks.key_risk import MeasuredKeys

__all__ = ["risk_cards", "risk_server", "risk_table", "risk_ui"]


@module.ui
def risk_ui() -> Tag:
    """Return the part of the page."""
    return tags.section(ui.output_ui("measured"), ui.output_ui("riskiest"))


@module.server
def risk_server(input: Inputs, output: Outputs, session: Session, view: View) -> None:
    """Measure the risk over the keys, and show it."""
    _Risk(input, session, view).run()


class _Risk(PagePart):
    """Measure the risk over the keys, and show it."""

    def __init__(self, input: Inputs, session: Session, view: View) -> None:
        super().__init__(input, session, view)
        self._risk = AskedTask(view, "key_risk.measured")
        self._one_record = AskedTask(view, "key_risk.keys_of_record")
        self._shown: reactive.Value[int] = reactive.Value(0)  # the record whose keys are shown

    def run(self) -> None:
        """Draw, and do what the page asks for."""
        self._draw(self.measured, self.riskiest)
        self._on("look", self._look)

    def _ask(self, look: LookedAt) -> Any:
        return self._risk(options=look.recoding, keys=list(look.keys), k=look.k, weights=look.weights, unit=look.unit)

    def measured(self) -> Tag | TagList | None:
        file = self._view.file
        if file is None:
            return None
        look = looked_at(file, self._view.decisions)
        if not look.keys:
            return empty("No column is a key variable.", "Choose some above: the risk is then measured over them.")
        answer = self._ask(look)
        if answer.problem:
            return notice(answer.problem, "problem")
        if answer.value is None:
            return TagList(tags.h2("Risk"), tags.p("Measuring the risk over the keys.", class_="muted", role="status"))
        found: MeasuredKeys = answer.value
        return tags.div(
            tags.h2("Risk"),
            risk_cards(found.after, found.k),
            tags.p(*_sentences(found.after), class_="muted"),
            tags.details(
                tags.summary("All values"),
                risk_table(found),
                {"id": self._ns("all_values"), "open": None if found.before is None else ""},
            ),
            tags.div(
                _figure("Records by how many have the same keys", found.alike_picture),
                _figure("Share of the SUDA scores in which a key has a part", found.suda_picture),
                class_="figures",
            ),
            class_="waiting" if answer.is_waiting else "",
            aria_busy="true" if answer.is_waiting else "false",
        )

    def riskiest(self) -> Tag | TagList | None:
        file = self._view.file
        look = None if file is None else looked_at(file, self._view.decisions)
        if look is None or not look.keys:
            return None
        answer = self._ask(look)
        if answer.value is None or answer.problem:
            return None
        found: KeyRisk = answer.value.after
        with_unit = found.units is not None
        head = ["record", "risk", *(["with its unit"] if with_unit else []), "agree in the file"]
        head += [*(["agree in the population"] if found.weighted else []), "SUDA score", "keys"]
        rows = [self._row(one, found, look) for one in found.riskiest]
        return tags.details(
            tags.summary(f"The {len(rows)} riskiest records"),
            tags.p(
                "By number; the first record of the file is 1. The keys of a record are shown when you ask for them. "
                "Not to be published.",
                class_="muted",
            ),
            data_table("The riskiest records", head, rows, numeric=range(len(head) - 1)),
            {"id": self._ns("riskiest_records")},
        )

    def _row(self, one: RiskyRecord, found: KeyRisk, look: LookedAt) -> list[Any]:
        cells: list[Any] = [f"{one.record:,}", f"{100 * one.risk:.3g} %"]
        if one.household_risk is not None:
            cells.append(f"{100 * one.household_risk:.3g} %")
        cells.append(f"{one.sample:,}")
        if found.weighted:
            cells.append(whole_text(one.population))
        return [*cells, whole_text(one.suda), self._keys_of(one.record, look)]

    def _keys_of(self, record: int, look: LookedAt) -> Tag:
        is_shown = self._shown.get() == record
        button = sending_button(
            self._ns("look"),
            self._ns(f"look_{record}"),
            "Hide" if is_shown else "Show",
            record=str(0 if is_shown else record),
        )
        button.attrs["aria-label"] = f"{'Hide' if is_shown else 'Show'} the keys of record {record}"
        if not is_shown:
            return tags.span(button)
        answer = self._one_record(options=look.recoding, keys=list(look.keys), record=record)
        if answer.is_waiting:
            return tags.span(button)
        said = answer.problem or ", ".join(f"{name}: {text or 'missing'}" for name, text in answer.value.items())
        return tags.span(button, " ", said)

    def _look(self) -> None:
        self._shown.set(int(self._input.look()["record"]))


def risk_cards(risk: KeyRisk, k: int) -> Tag:
    """Return the values that are read first; a missing value counts as a category."""
    below = risk.violators[k]
    cards = [
        (f"{risk.k:,}", "the fewest records with the same keys", "good" if risk.k >= k else "bad"),
        (f"{risk.uniques:,}", f"unique, {_percent(risk.uniques, risk)}", "bad" if risk.uniques else "good"),
        (f"{below:,}", f"below k = {k}, {_percent(below, risk)}", "bad" if below else "good"),
        (f"{risk.expected:,.1f}", f"expected re-identifications, {100 * risk.global_risk:.3g} %", ""),
    ]
    if risk.household_expected is not None:
        share = 100 * risk.household_expected / risk.records
        cards.append((f"{risk.household_expected:,.1f}", f"the same with their units, {share:.3g} %", ""))
    return tags.div(
        *(
            tags.div(tags.strong(value, class_=kind), tags.span(text), class_="card-value")
            for value, text, kind in cards
        ),
        class_="cards",
    )


def _percent(count: int, risk: KeyRisk) -> str:
    return f"{100 * count / risk.records:.3g} %"


def _sentences(risk: KeyRisk) -> Iterator[str]:
    if risk.weighted:
        yield "The risk is estimated with the sampling weights. "
    else:
        yield "There are no sampling weights: the file is taken as the population. "
    if risk.units is not None:
        yield f"There are {risk.units:,} units; with its unit, a record is at risk if any member is. "
    if risk.incomplete:
        yield f"{risk.incomplete:,} records have a missing key. A missing value counts as a value of its own. "
    if risk.as_wildcards is not None:
        wild = risk.as_wildcards
        yield (
            f"As wildcards, if a missing value agrees with every value, k would be {wild.k:,} and {wild.uniques:,} "
            "records unique: many missing values make a file look safe. "
        )


def risk_table(found: MeasuredKeys) -> Tag:
    """Return all values in a table, before the recodes too if there are some."""
    sides = [found.after] if found.before is None else [found.before, found.after]
    head = ["", "as the file is"] if found.before is None else ["", "as the file is", "recoded"]
    with_wildcards = any(risk.as_wildcards is not None for risk in sides)
    columns = [list(_rows(risk, with_wildcards=with_wildcards)) for risk in sides]
    rows = [[name, *(column[place][1] for column in columns)] for place, (name, _) in enumerate(columns[0])]
    return tags.div(data_table("Risk over the keys", head, rows, numeric=range(1, len(head))), class_="narrow")


def _rows(risk: KeyRisk, *, with_wildcards: bool) -> Iterator[tuple[str, str]]:
    yield "different combinations of the keys", f"{risk.combinations:,}"
    yield from _reading_rows(risk, risk)
    if risk.suda_records is not None:
        yield "records with a SUDA score", f"{risk.suda_records:,} ({_percent(risk.suda_records, risk)})"
    if with_wildcards:
        wild = risk.wildcard_reading
        for name, text in _reading_rows(wild or risk, risk):
            yield f"as wildcards: {name}", "not counted" if wild is None else text


def _reading_rows(reading: KeyReading, risk: KeyRisk) -> Iterator[tuple[str, str]]:
    """Give the rows of one reading of missing values."""
    yield "k, the fewest records with the same keys", f"{reading.k:,}"
    for k, count in reading.violators.items():
        name = "unique records (below 2)" if k == 2 else f"records below {k}"
        yield name, f"{count:,} ({_percent(count, risk)})"
    yield "expected re-identifications", f"{reading.expected:,.2f} ({100 * reading.global_risk:.3g} %)"
    if reading.household_expected is not None:
        yield "expected with their units", f"{reading.household_expected:,.2f}"


def _figure(title: str, svg: str) -> Tag | None:
    return tags.figure(tags.figcaption(title), picture(svg)) if svg else None
