"""The measures of a masked table, as text."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.measure import MEASURES, About, Evaluation
from shoal.measure.measuring import NOT_ASKED_FOR
from shoal.measure.options import options_text
from shoal.report.facts.headline import headline_facts, headline_lines, protected_facts
from shoal.report.facts.measured.attack import attack_facts, attack_text
from shoal.report.publish.shares import Shares
from shoal.report.terminal.names import first_names, one_line
from shoal.report.terminal.table import table_text

__all__ = ["evaluation_text"]


def evaluation_text(names: str, evaluation: Evaluation) -> str:
    """Return the measures of risk, utility and both, one a line, with which way is good."""
    columns = f"{len(evaluation.columns)} column{'s' if len(evaluation.columns) != 1 else ''}"
    lines = [f"{names}: {columns} of {evaluation.records:,} records"]
    if evaluation.complete_records < evaluation.records:
        lines[0] += f", {evaluation.complete_records:,} of them without a missing value"
    headline = headline_facts(evaluation, None, Shares(None), 1)
    alone = protected_facts(evaluation, None, Shares(None), 1)
    lines += [f"{word:<11} {text}" for word, text in headline_lines(headline, alone)]
    if evaluation.not_compared:
        lines.append(f"utility not measured, though both files have them: {first_names(evaluation.not_compared)}")
    if evaluation.scenarios:
        rows = [
            (name, f"{len(risk['columns']):,}", f"{risk['k']:,}", f"{risk['uniques']:,}", f"{risk['linkage']:.2f} %")
            for name, risk in evaluation.scenarios.items()
        ]
        head = ("an intruder who knows", "columns", "k", "unique", "linked")
        lines += ["", table_text(head, rows, right={1, 2, 3, 4})]
    for side in ("risk", "utility", "score"):
        lines += _side(evaluation, side)
    options = {name: own for name, own in evaluation.options.items() if name in evaluation.measured}
    notes = [f"options: {options_text({name: own})}" for name, own in options.items()]
    notes += _on_attacks(evaluation)
    notes += _suppressed(evaluation)
    for name, measured in evaluation.measured.items():
        if measured.parts.get("sampled"):
            error = measured.parts.get("standard_error")
            known = "" if error is None else f", standard error {error:.2g} percentage points"
            notes.append(f"sampled: {name}, from {measured.sampled:,} records{known}")
        if "chance" in measured.parts:
            notes.append(
                f"to compare: {name} is {measured.again:.4g} for the original clustered again from another start, and "
                f"{measured.chance:.4g} for clusters assigned to the records at random"
            )
        if measured.parts.get("of_variables"):
            notes.append(f"sampled: {name}, from {measured.of_variables:,} variables, evenly spaced in the file")
    notes += [f"not applicable: {name}. {why}" for name, why in evaluation.not_applicable.items()]
    notes += [f"left out: {name}, {why}" for name, why in evaluation.left_out.items() if why != NOT_ASKED_FOR]
    return "\n".join([*lines, *([""] if notes else []), *notes])


def _suppressed(evaluation: Evaluation) -> list[str]:
    """Say how many values were suppressed, which count as lost."""
    measured = (evaluation.information_loss, evaluation.categories_changed)
    cells = sum(one.parts["suppressed"] for one in measured if one is not None)
    return [f"suppressed: {cells:,} values of the original are missing in the masked file, and count as lost"] * bool(
        cells
    )


def _side(evaluation: Evaluation, side: str) -> list[str]:
    """Return the measures of one side as a table; risks beside those of the protected columns alone if these differ."""
    files = {"value": evaluation.measured}
    if side == "risk" and evaluation.risk_protected is not None:
        files = {"everything": evaluation.measured, "protected alone": evaluation.risk_protected}
    rows = [
        [measure.about.title]
        + [_value_text(measure.about, measured.get(name)) for measured in files.values()]
        + [measure.about.better, name]
        for name, measure in MEASURES.items()
        if measure.about.side == side and name not in evaluation.left_out
    ]
    head = (side, *files, "better", "name")
    return ["", table_text(head, rows, right={*range(1, 1 + len(files))})] if rows else []


def _on_attacks(evaluation: Evaluation) -> Iterator[str]:
    """Yield a line on every attack that was simulated."""
    attack = attack_facts(evaluation, Shares(None), 1)
    if attack is not None:
        yield f"transparency_attack: {attack_text(attack, Shares(None))}"
    guessed = evaluation.attribute_attack
    if guessed is not None:
        name, most = max(guessed.by_variable.items(), key=lambda one: float(one[1]["gain"]))
        yield (
            f"attribute_attack: {guessed.success:.2f} % of the guesses are right, and {guessed.baseline:.2f} % without "
            f"the release; most is gained in {one_line(name)}, {most['gain']:.2f} percentage points"
        )


def _value_text(about: About, value: float | None) -> str:
    if value is None:
        return "not applicable"
    if about.unit == "records":
        return f"{int(value):,}"
    if about.unit == "%":
        return f"{value:.2f} %" if value < 1e6 else f"{value:.3g} %"
    return "0" if abs(value) < 1e-12 else f"{value:.4g}"  # rounding error
