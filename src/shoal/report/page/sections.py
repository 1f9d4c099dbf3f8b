"""The sections of a report, in their order: each from the facts it shows, none where the facts are absent."""

from __future__ import annotations

from collections.abc import Iterator

from markupsafe import Markup

from shoal.replace import REPLACEMENTS
from shoal.report.facts.collect import MOST_CORRELATED, MeasureFacts, Summary, VariableFacts
from shoal.report.page import plots
from shoal.report.page.method_section import method_sections
from shoal.report.page.parts import Card, Drawn, Row, Section, Table, named, names
from shoal.report.publish.shares import SHARES, Shares
from shoal.report.wording import edge_texts, figure_text, number_text, percent_text, printable

__all__ = ["cards_of", "sections_of"]

_MOST_DRAWN = 24
_MOST_BARS = 40
_MOST_BLOCKS = 6
_MOST_ROWS = 40
_SIDES = (
    ("risk", "Risk", "What an intruder can learn from the release."),
    ("utility", "Utility", "What an analyst loses by working with the release instead of the original."),
    ("score", "Score", "Risk and utility together."),
)


def cards_of(summary: Summary) -> list[Card]:
    """Return the figures that are read first."""
    cards = []
    if summary.k_holds:
        cards.append(Card(str(summary.k), "k", "records, at least, behind every protected value", "higher is safer"))
    columns = f"in {summary.columns_released:,} variable{'s' * (summary.columns_released != 1)}"
    cards.append(Card(f"{summary.records:,}", "Records", f"released, {columns}"))
    for name, title, says in (
        ("information_loss", "Information loss", "of the variation of the original is lost"),
        ("distance_linkage", "Linkage", "of the records are linked to the person they are about"),
        ("transparency_attack", "Attack", "of the records are found by an intruder who knows the method"),
        ("score", "Score", "loss and risk together; data without duplicates score 50 unprotected"),
    ):
        found = next((one for one in summary.measures if one.name == name), None)
        if found is not None:
            cards.append(Card(_value_text(summary, found), title, says, _better(found)))
    return cards


def sections_of(summary: Summary) -> list[Section]:
    """Return all sections there are facts for."""
    made = [
        *_measures(summary),
        *_distributions(summary),
        *_correlations(summary),
        *_groups(summary),
        *_losses(summary),
        *_rules(summary),
        *_linkage(summary),
        *_attack(summary),
        *_moments(summary),
        *_variables(summary),
        *method_sections(summary),
    ]
    return made


def _value_text(summary: Summary, measure: MeasureFacts) -> str:
    if measure.name in SHARES:
        return Shares(summary.least_share).text(measure.value)
    return figure_text(measure.value, measure.unit)


def _better(measure: MeasureFacts) -> str:
    return f"{measure.better} is {'safer' if measure.side == 'risk' else 'better'}"


def _measures(summary: Summary) -> Iterator[Section]:
    for side, title, says in _SIDES:
        rows = [
            {
                "title": one.title,
                "value": _value_text(summary, one),
                "better": one.better,
                "says": _better(one),
                "place": _place(one),
                "definition": one.definition.replace("`", ""),
                "reference": one.reference,
                "sampled": "" if one.sampled is None else f"Estimated from a sample of {one.sampled:,} records.",
            }
            for one in summary.measures
            if one.side == side
        ]
        text = [says]
        if side == "risk" and summary.least_share is not None:
            text.append(
                f"A share of fewer than {summary.k:,} records, or of all but fewer, is given as a bound, and what is "
                "computed from shares is computed from what is given."
            )
        few = [one for one in summary.variables if one.protected and one.kind == "continuous" and one.loss is None]
        if side == "utility" and summary.audience == "public" and few:
            text.append("Numeric variables with few values have no part in means over variables.")
        if rows:
            yield Section(side, title, text, measures=rows)


def _place(measure: MeasureFacts) -> float | None:
    """Return where a figure stands between its least and its greatest value, in percent."""
    if measure.least is None or measure.greatest is None:
        return None
    part = (measure.value - measure.least) / (measure.greatest - measure.least)
    return round(100 * min(max(part, 0.0), 1.0), 1)


def _distributions(summary: Summary) -> Iterator[Section]:
    shown = [one for one in summary.variables if one.shape is not None]
    if not shown:
        return
    drawn, text = shown, []
    if len(shown) > _MOST_DRAWN:
        drawn = sorted(shown, key=lambda one: -(one.loss or 0.0))[:_MOST_DRAWN]
        text.append(f"The {_MOST_DRAWN} of {len(shown)} protected variables that lose most are drawn, the worst first.")
    if any(one.shape is not None and one.shape.edges for one in drawn):
        text.append(
            "Shares of records by value. The outermost bars hold everything beyond them too, so that no extreme value "
            "shows."
        )
    figures = [_distribution(summary, one, number) for number, one in enumerate(drawn, start=1)]
    figures.sort(key=lambda one: one.numbers.head[0] != "from")  # amounts first, then categories
    internal = any(one.shape is not None and one.shape.original is not None for one in drawn)
    yield Section(
        "distributions",
        "Distributions, original and masked" if internal else "Distributions in the release",
        text,
        legend=[("original", "original"), ("masked", "masked")] if internal else [],
        figures=figures,
    )


def _distribution(summary: Summary, variable: VariableFacts, number: int) -> Drawn:
    shape = variable.shape
    assert shape is not None
    series = [shares for shares in (shape.original, shape.masked) if shares is not None]
    heads = ["original", "masked"] if shape.original is not None else ["masked"]
    name = printable(variable.name)
    shares = [[percent_text(100 * one) for one in row] for row in zip(*series, strict=True)]
    if shape.edges:
        edges = edge_texts(shape.edges, coarse=summary.audience == "public")
        rows: list[Row] = [(low, high, *row) for low, high, row in zip(edges[:-1], edges[1:], shares, strict=True)]
        numbers = Table(f"Shares of records by {name}", ("from", "to", *heads), rows, frozenset(range(2 + len(heads))))
        svg = plots.density(f"d{number}", f"Distribution of {name}", shape)
    else:
        rows = [(named(one), *row) for one, row in zip(shape.categories, shares, strict=True)]
        numbers = Table(f"Shares of records by {name}", ("category", *heads), rows, frozenset(range(1, 1 + len(heads))))
        svg = plots.categories(f"d{number}", f"Shares of the categories of {name}", shape)
    says = "" if variable.loss is None else f"{percent_text(variable.loss)} lost"
    return Drawn(named(variable.name), Markup(svg), numbers, says)


def _correlations(summary: Summary) -> Iterator[Section]:
    found = summary.correlations
    if found is None:
        return
    differences = [abs(one) for row in found.difference for one in row if one is not None]
    greatest = next((step for step in (0.02, 0.05, 0.1, 0.2, 0.5, 1.0) if max(differences, default=0) <= step), 2.0)
    maps = [("Masked", found.masked, 1.0), ("Masked less original", found.difference, greatest)]
    if found.original is not None:
        maps.insert(0, ("Original", found.original, 1.0))
    figures = []
    for number, (title, matrix, most) in enumerate(maps, start=1):
        pairs = [(row, column) for row in range(len(found.columns)) for column in range(row)]
        pairs.sort(key=lambda pair: -abs(matrix[pair[0]][pair[1]] or 0.0))
        rows = [(named(found.columns[b]), named(found.columns[a]), _three(matrix[a][b])) for a, b in pairs]
        table = Table(f"{title}: correlations", ("variable", "with", "correlation"), rows, frozenset({2}))
        says = f"Heat map of correlations, {title.lower()}, {len(found.columns)} variables"
        svg = plots.heat_map(f"c{number}", says, found.columns, matrix, most)
        scale = Markup(plots.scale(f"s{number}", most))
        figures.append(Drawn(title, Markup(svg), table, scale=scale, wide=len(found.columns) > 20))
    continuous = sum(one.kind == "continuous" and one.protected for one in summary.variables)
    text = ["How strongly variables move together, from -1 to +1. Cells without colour in the last map are good."]
    if continuous > len(found.columns) >= MOST_CORRELATED:
        text.append(f"The first {len(found.columns)} of {continuous} variables are drawn.")
    yield Section("correlations", "Correlations", text, figures=figures)


def _three(value: float | None) -> str:
    return number_text(None) if value is None else f"{value + 0:.3f}".replace("-", "\N{MINUS SIGN}")


def _groups(summary: Summary) -> Iterator[Section]:
    if not summary.groups:
        return
    rows = [
        (names(one.columns, 12), f"{one.groups:,}", f"{one.smallest:,}", f"{one.largest:,}") for one in summary.groups
    ]
    table = Table(
        "Groups of records, by block of variables",
        ("variables", "groups", "smallest", "largest"),
        rows,
        frozenset({1, 2, 3}),
    )
    figures = [
        Drawn(
            names(one.columns, 3),
            Markup(plots.group_sizes(f"g{number}", "Number of groups by how many records they have", one.sizes)),
            Table(
                "Groups by size",
                ("records in a group", "groups"),
                [
                    (f"{low:,}" if low == high else f"{low:,} to {high:,}", f"{count:,}")
                    for low, high, count in one.sizes
                ],
                frozenset({0, 1}),
            ),
        )
        for number, one in enumerate(summary.groups[:_MOST_BLOCKS], start=1)
        if one.sizes
    ]
    synthetic = any(REPLACEMENTS[one.partition(":")[0]].rewrites for one in summary.replace)
    text = [
        "Records were rewritten in groups; inside a group all values are new."
        if synthetic
        else "Records are released in groups that share their values; nobody stands alone in a group."
    ]
    if figures and len(summary.groups) > len(figures):
        text.append(f"The first {len(figures)} of {len(summary.groups)} blocks of variables are drawn.")
    beside = len(figures) == 1
    yield Section("groups", "Groups", text, figures=figures, beside=beside, table=table, folded=len(rows) > _MOST_ROWS)


def _losses(summary: Summary) -> Iterator[Section]:
    lost = [(one.name, one.loss) for one in summary.variables if one.loss is not None]
    if not lost:
        return
    lost.sort(key=lambda one: -one[1])
    drawn = lost[:_MOST_BARS]
    svg = plots.bars("l", "Information loss by variable", [name for name, _ in drawn], [loss for _, loss in drawn])
    rows = [(named(name), percent_text(loss)) for name, loss in lost]
    table = Table("Information loss by variable", ("variable", "lost"), rows, frozenset({1}))
    text = ["The share of the variation of each variable that is lost; lower is better."]
    if summary.audience == "public" and len(lost) < sum(one.protected for one in summary.variables):
        text.append("Variables that are categories, or have few values, are left out.")
    if len(drawn) < len(lost):
        text.append(f"The {len(drawn)} of {len(lost)} variables that lose most are drawn; the numbers have all.")
    figure = Drawn("Information loss", Markup(svg), table)
    yield Section("losses", "Information loss by variable", text, figures=[figure], beside=True)


def _rules(summary: Summary) -> Iterator[Section]:
    if not summary.rules:
        return
    kept = sum(one.holds for one in summary.rules)
    rows = [
        (
            Markup("<bdi><code>{}</code></bdi>").format(printable(one.rule)),
            one.kind,
            Markup('<span class="{}">{}</span>').format(*(("good", "✓ holds") if one.holds else ("bad", "✗ broken"))),
        )
        for one in summary.rules
    ]
    text = [f"{kept:,} of {len(rows):,} rule{'s' * (len(rows) != 1)} hold{'s' * (len(rows) == 1)} in every record."]
    table = Table("Rules and whether the release keeps them", ("rule", "kind", "in the release"), rows)
    yield Section("rules", "Rules the data keep", text, table=table, folded=len(rows) > _MOST_ROWS)


def _linkage(summary: Summary) -> Iterator[Section]:
    points = summary.linkage_by_known
    if not points:
        return
    svg = plots.linkage("k", "Percent of records linked by the number of variables the intruder knows", points)
    shares = Shares(summary.least_share)
    rows = [(f"{known:,}", shares.text(share)) for known, share in points]
    table = Table("Records linked", ("variables known", "linked"), rows, frozenset({0, 1}))
    text = [
        "An intruder who knows some variables of a person looks for the nearest released record. The share that is the "
        "right one, averaged over the choices of so many variables; lower is safer."
    ]
    figure = Drawn("Records linked", Markup(svg), table)
    yield Section("linkage", "Linkage by number of known variables", text, figures=[figure], beside=True)


def _attack(summary: Summary) -> Iterator[Section]:
    found = summary.attack
    if found is None:
        return
    shares = [
        ("found by chance", found.expected, "found by drawing one of the records that are left"),
        ("certain", found.certain, "one record is left and it is the right one"),
        ("among those left", found.coverage, "the right record is among those left"),
        ("plain linkage", found.linkage, "found by an intruder who knows nothing of the method, to compare with"),
    ]
    texts = [Shares(summary.least_share).text(share) for _, share, _ in shares]
    drawn = [share for _, share, _ in shares]
    svg = plots.bars("a", "What the attack finds", [name for name, *_ in shares], drawn, 100.0, texts)
    rows: list[Row] = [(says, text) for (_, _, says), text in zip(shares, texts, strict=True)]
    if found.candidates is not None:
        rows.append(("records that are left, on average", number_text(found.candidates)))
    table = Table("Transparency attack", ("what the intruder gets", "share of records"), rows, frozenset({1}))
    text = [
        "The method is published, so an intruder may know it too. Of a person whose original values are known in "
        f"{found.known:,} variable{'s' * (found.known != 1)}, only some groups can hold the record; the rest is ruled "
        "out. Lower is safer."
    ]
    figure = Drawn("Transparency attack", Markup(svg), table)
    yield Section("attack", "An intruder who knows the method", text, figures=[figure], beside=True)


def _moments(summary: Summary) -> Iterator[Section]:
    if not summary.moments:
        return
    rows = [
        (named(one.column), *(number_text(value) for pair in (one.third, one.fourth) for value in pair or (None, None)))
        for one in summary.moments
    ]
    head = ("variable", "third, original", "third, masked", "fourth, original", "fourth, masked")
    table = Table("Third and fourth standardised moments", head, rows, frozenset({1, 2, 3, 4}))
    text = [
        "Skewness (third) and weight of the tails (fourth), in units of the standard deviation of the original. Closer "
        "to the original is better."
    ]
    yield Section("moments", "Third and fourth moments", text, table=table, folded=len(rows) > _MOST_ROWS)


def _variables(summary: Summary) -> Iterator[Section]:
    if not summary.variables:
        return
    internal = summary.audience == "internal"
    head = ["variable", "label", "kind", "role", "treatment", "missing", "lost"]
    rows = [
        [
            named(one.name),
            named(one.label) if one.label else "",
            one.kind or "",
            one.role,
            one.treatment,
            f"{one.missing:,}" if one.missing else "",
            percent_text(one.loss) if one.loss is not None else "",
        ]
        for one in summary.variables
    ]
    kept = [place for place, _ in enumerate(head) if place in (0, 4) or any(row[place] for row in rows)]
    table = Table(
        "Variables and their treatment",
        [head[place] for place in kept],
        [[row[place] for place in kept] for row in rows],
        frozenset(number for number, place in enumerate(kept) if place > 4),
    )
    text = ["What each variable is, and what was done to it."]
    if internal and any(one.treatment == "as it is" for one in summary.variables):
        text.append("Variables released as they are protect nobody: an intruder sees them too.")
    yield Section("variables", "Variables", text, table=table, folded=len(rows) > _MOST_ROWS)
