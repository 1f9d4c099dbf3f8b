"""Methods side by side, as text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from shoal.measure import MEASURES
from shoal.measure.options import options_text
from shoal.report.terminal.names import first_names, one_line
from shoal.report.terminal.table import table_text
from shoal.report.wording import rounded_up, without_capital

if TYPE_CHECKING:
    from shoal.search.comparison import Comparison

__all__ = ["comparison_text", "measured_on"]

_WHAT_IS_COMPARED = (
    "over everything released: k reached, the fewest records alike; unique records; linkage to their own.\n"
    "in %, lower is better: score = (risk + loss) / 2; risk: {};\n"
    "loss: {}; attack: found by an intruder who knows the method; lost: of the variation;\n"
    "above: the groups' squared error is at most so much above the best possible."
)


def comparison_text(comparison: Comparison) -> str:
    """Return the methods side by side, the lowest score first."""
    further = comparison.setup.further
    head = (
        "method",
        "k",
        "k reached",
        "unique",
        "linkage",
        "score",
        "risk",
        "loss",
        "interval",
        "attack",
        "lost",
        "above",
        *further,
        "seconds",
        "groups",
        "sizes",
    )
    rows = [
        (
            row.method,
            row.shown_k or "-",
            f"{row.k_reached:,}",
            f"{row.uniques:,}",
            f"{row.linkage:.2f}",
            *(
                "-" if value is None else f"{value:.2f}"
                for value in (
                    row.score,
                    row.risk,
                    row.loss,
                    row.interval_disclosure,
                    row.transparency_attack,
                )
            ),
            "-" if row.information_loss is None else f"{row.information_loss:.4g}",
            "-" if row.above_best is None else f"{rounded_up(row.above_best):,}",
            *("-" if value is None else f"{value:.4g}" for value in row.further.values()),
            f"{row.seconds:.2f}",
            f"{row.groups:,}",
            f"{row.smallest_group}-{row.largest_group}",
        )
        for row in comparison.rows
    ]
    lines = [
        table_text(head, rows, right=set(range(1, len(head)))),
        "",
        _WHAT_IS_COMPARED.format(*comparison.setup.risk_and_loss),
    ]
    lines += [f"{name}: {_about_text(name)}" for name in further]
    if comparison.unmasked_score is not None:
        scores = [row.score for row in comparison.rows if row.score is not None]
        better = bool(scores) and min(scores) < comparison.unmasked_score
        lines.append(
            f"unmasked file: score {comparison.unmasked_score:.2f}" + ("" if better else ", and none is better")
        )
    if comparison.setup.not_protected:
        lines.append(f"NOT PROTECTED: {first_names(comparison.setup.not_protected)}, as they are in every release")
    if comparison.setup.measure_options:
        lines.append(f"measures with options: {options_text(comparison.setup.measure_options)}")
    if comparison.setup.measured_columns:
        lines.append(f"measured on {measured_on(comparison.setup.measured_columns)}")
    lines += [f"left out: {name}, {why}" for name, why in comparison.left_out.items()]
    return "\n".join(lines)


def _about_text(name: str) -> str:
    about = MEASURES[name].about
    unit = f" (in {about.unit})" if about.unit else ""
    return f"{without_capital(about.title)}{unit}, {about.better} is better"


def measured_on(columns: Sequence[str]) -> str:
    """Return the variables that releases are measured on, where these are not all, and why."""
    return f"{', '.join(map(one_line, columns))}: hybrid and synthetic data rewrite these and leave the others"
