"""The sections on how variables are distributed and what that loses: distributions, correlations, loss, moments."""

from __future__ import annotations

from markupsafe import Markup

from shoal.report.facts.correlations import MOST_CORRELATED
from shoal.report.facts.summary import Summary, VariableFacts
from shoal.report.page import plots
from shoal.report.page.parts import PageFigure, PageRow, PageSection, PageTable, name_markup
from shoal.report.wording import edge_texts, number_text, percent_text, printable

__all__ = ["correlation_section", "distribution_section", "loss_section", "moment_section"]

_MOST_DRAWN = 24
_MOST_BARS = 40
_MOST_ROWS = 40


def distribution_section(summary: Summary) -> PageSection | None:
    """Return how each protected variable is distributed."""
    variables = [one for one in summary.variables if one.shape is not None]
    if not variables:
        return None
    drawn, text = variables, []
    if len(variables) > _MOST_DRAWN:
        drawn = sorted(variables, key=lambda one: -(one.loss or 0.0))[:_MOST_DRAWN]
        text.append(f"The {_MOST_DRAWN} of {len(variables)} protected variables with the largest loss, largest first.")
    if any(one.shape is not None and one.shape.edges for one in drawn):
        text.append(
            "Shares of records by value. The outermost bins also hold all values beyond them, so that no extreme value "
            "can be seen."
        )
    figures = [_distribution(summary, one, number) for number, one in enumerate(drawn, start=1)]
    figures.sort(key=lambda one: one.numbers.head[0] != "from")  # amounts first, then categories
    internal = any(one.shape is not None and one.shape.original is not None for one in drawn)
    return PageSection(
        "distributions",
        "Distributions, original and masked" if internal else "Distributions in the release",
        text,
        legend=[("original", "original"), ("masked", "masked")] if internal else [],
        figures=figures,
    )


def _distribution(summary: Summary, variable: VariableFacts, number: int) -> PageFigure:
    shape = variable.shape
    assert shape is not None
    series = [shares for shares in (shape.original, shape.masked) if shares is not None]
    heads = ["original", "masked"] if shape.original is not None else ["masked"]
    name = printable(variable.name)
    caption = f"Shares of records by {name}"
    shares = [[percent_text(100 * one) for one in row] for row in zip(*series, strict=True)]
    if shape.edges:
        edges = edge_texts(shape.edges, coarse=summary.audience == "public")
        rows: list[PageRow] = [(low, high, *row) for low, high, row in zip(edges[:-1], edges[1:], shares, strict=True)]
        numbers = PageTable(caption, ("from", "to", *heads), rows, frozenset(range(2 + len(heads))))
        svg = plots.density(f"d{number}", f"Distribution of {name}", shape)
    else:
        rows = [(name_markup(one), *row) for one, row in zip(shape.categories, shares, strict=True)]
        numbers = PageTable(caption, ("category", *heads), rows, frozenset(range(1, 1 + len(heads))))
        svg = plots.categories(f"d{number}", f"Shares of the categories of {name}", shape)
    note = "" if variable.loss is None else f"{percent_text(variable.loss)} lost"
    return PageFigure(name_markup(variable.name), Markup(svg), numbers, note)


def correlation_section(summary: Summary) -> PageSection | None:
    """Return the correlations of the continuous variables, and how much they change."""
    correlations = summary.correlations
    if correlations is None:
        return None
    columns = correlations.columns
    differences = [abs(one) for row in correlations.difference for one in row if one is not None]
    greatest = next((step for step in (0.02, 0.05, 0.1, 0.2, 0.5, 1.0) if max(differences, default=0) <= step), 2.0)
    maps = [("Masked", correlations.masked, 1.0), ("Masked minus original", correlations.difference, greatest)]
    if correlations.original is not None:
        maps.insert(0, ("Original", correlations.original, 1.0))
    figures = []
    for number, (title, matrix, most) in enumerate(maps, start=1):
        pairs = [(row, column) for row in range(len(columns)) for column in range(row)]
        pairs.sort(key=lambda pair: -abs(matrix[pair[0]][pair[1]] or 0.0))
        rows = [(name_markup(columns[b]), name_markup(columns[a]), _three_decimals(matrix[a][b])) for a, b in pairs]
        table = PageTable(f"{title}: correlations", ("variable", "with", "correlation"), rows, frozenset({2}))
        description = f"Heat map of correlations, {title.lower()}, {len(columns)} variables"
        svg = plots.heat_map(f"c{number}", description, columns, matrix, most)
        scale = Markup(plots.scale(f"s{number}", most))
        figures.append(PageFigure(title, Markup(svg), table, scale=scale, wide=len(columns) > 20))
    continuous = sum(one.kind == "continuous" and one.protected for one in summary.variables)
    text = [
        "Correlations of pairs of variables, from \N{MINUS SIGN}1 to +1. In the last figure, a cell without colour has "
        "kept its correlation."
    ]
    if continuous > len(columns) >= MOST_CORRELATED:
        text.append(f"Shown are the first {len(columns)} of {continuous} variables.")
    return PageSection("correlations", "Correlations", text, figures=figures)


def _three_decimals(value: float | None) -> str:
    return number_text(None) if value is None else f"{value + 0:.3f}".replace("-", "\N{MINUS SIGN}")


def loss_section(summary: Summary) -> PageSection | None:
    """Return the information loss by variable."""
    losses = [(one.name, one.loss) for one in summary.variables if one.loss is not None]
    if not losses:
        return None
    losses.sort(key=lambda one: -one[1])
    drawn = losses[:_MOST_BARS]
    svg = plots.bars("l", "Information loss by variable", [name for name, _ in drawn], [loss for _, loss in drawn])
    rows = [(name_markup(name), percent_text(loss)) for name, loss in losses]
    table = PageTable("Information loss by variable", ("variable", "lost"), rows, frozenset({1}))
    text = ["The percentage of the variation of each variable that is lost. Lower is better."]
    if summary.audience == "public" and len(losses) < sum(one.protected for one in summary.variables):
        text.append("Categorical variables and variables with few values are left out.")
    if len(drawn) < len(losses):
        text.append(f"Shown are the {len(drawn)} of {len(losses)} variables that lose most; the numbers have all.")
    figure = PageFigure("Information loss", Markup(svg), table)
    return PageSection("losses", "Information loss by variable", text, figures=[figure], beside=True)


def moment_section(summary: Summary) -> PageSection | None:
    """Return the third and fourth moments of the continuous variables."""
    if not summary.moments:
        return None
    rows = [
        (
            name_markup(one.column),
            *(number_text(value) for pair in (one.third, one.fourth) for value in pair or (None, None)),
        )
        for one in summary.moments
    ]
    head = ("variable", "third, original", "third, masked", "fourth, original", "fourth, masked")
    table = PageTable("Third and fourth standardised moments", head, rows, frozenset({1, 2, 3, 4}))
    text = [
        "Skewness (third moment) and weight of the tails (fourth moment), in units of the standard deviation of the "
        "original. Closer to the original is better."
    ]
    return PageSection("moments", "Third and fourth moments", text, table=table, folded=len(rows) > _MOST_ROWS)
