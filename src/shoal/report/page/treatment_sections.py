"""The sections on what was done to the records and variables: groups, edit rules, variables and their treatment."""

from __future__ import annotations

from markupsafe import Markup

from shoal.report.facts.summary import CountFacts, GroupFacts, Summary
from shoal.report.page import plots
from shoal.report.page.parts import PageFigure, PageSection, PageTable, name_markup, names_markup
from shoal.report.publish.shares import Shares
from shoal.report.wording import percent_text, printable

__all__ = ["category_section", "count_section", "group_section", "rule_section", "variable_section"]

_MOST_BLOCKS = 6
_MOST_ROWS = 40


def group_section(summary: Summary) -> PageSection | None:
    """Return how many groups there are, and how large they are, in every block of variables."""
    if not summary.groups:
        return None
    rows = [
        (names_markup(one.columns, 12), f"{one.groups:,}", f"{one.smallest:,}", f"{one.largest:,}")
        for one in summary.groups
    ]
    head = ("variables", "groups", "smallest", "largest")
    table = PageTable("Groups of records, by block of variables", head, rows, frozenset({1, 2, 3}))
    drawn = [one for one in summary.groups[:_MOST_BLOCKS] if one.sizes]
    figures = [_group_sizes(one, number) for number, one in enumerate(drawn, start=1)]
    text = [
        "Records were rewritten group by group. All confidential values of a group are new."
        if summary.is_synthetic
        else "The records of a group share the released values of its variables."
    ]
    if summary.steps:
        text = ["Those of the last step. The records of a group share the values that this step released."]
    if figures and len(summary.groups) > len(figures):
        text.append(f"Shown are the first {len(figures)} of {len(summary.groups)} blocks of variables.")
    beside = len(figures) == 1
    return PageSection(
        "groups", "Groups", text, figures=figures, beside=beside, table=table, folded=len(rows) > _MOST_ROWS
    )


def _group_sizes(block: GroupFacts, number: int) -> PageFigure:
    sizes = block.sizes or []
    rows = [(f"{low:,}" if low == high else f"{low:,} to {high:,}", f"{count:,}") for low, high, count in sizes]
    table = PageTable("Groups by size", ("records in a group", "groups"), rows, frozenset({0, 1}))
    svg = plots.group_sizes(f"g{number}", "Number of groups by the number of records in them", sizes)
    return PageFigure(names_markup(block.columns, 3), Markup(svg), table)


def count_section(summary: Summary) -> PageSection | None:
    """Return what is behind released values, variable by variable, beyond that there are k records."""
    if not summary.counts:
        return None
    share = "" if summary.counted_from is None else f"{summary.counted_from:g}"
    head = [
        *("variable", "cells suppressed", "missing values filled", "groups joined", "value of one record alone"),
        *("one record is the whole sum", f"one record is more than {share} % of the sum"),
    ]
    rows = [
        [name_markup(one.name), *("" if count is None else f"{count:,}" for count in _counts(one))]
        for one in summary.counts
    ]
    shown = [place for place, _ in enumerate(head) if any(row[place] for row in rows)]
    table = PageTable(
        "What is behind released values, by variable",
        [head[place] for place in shown],
        [[row[place] for place in shown] for row in rows],
        frozenset(range(1, len(shown))),
    )
    text = [
        "Suppressed cells and filled values are counted in records; all else is the number of groups in which it is so."
    ]
    if summary.effective_number is not None:
        text.append(
            "No record carries more than half of the weight behind a released value. The smallest effective number of "
            f"records behind one, (sum of weights)² / sum of their squares, is {summary.effective_number:.1f}."
        )
    return PageSection("counts", "What is behind released values", text, table=table, folded=len(rows) > _MOST_ROWS)


def _counts(one: CountFacts) -> tuple[int | None, ...]:
    return one.suppressed, one.filled, one.joined, one.held_by_one, one.lone, one.dominated


def category_section(summary: Summary) -> PageSection | None:
    """Return what the release would lose if its categories were treated in each of three ways."""
    if not summary.category_ways:
        return None
    head = (
        "categories",
        "numbers lost",
        "cells changed",
        "cells suppressed",
        "lost over all columns",
        "k of all that is released",
    )
    rows = [
        (
            Markup("<code>{}</code>").format(one.way),
            *("" if share is None else percent_text(share) for share in (one.numbers, one.changed, one.suppressed)),
            "refused" if one.loss is None else percent_text(one.loss),
            "" if one.k is None else f"{one.k:,}",
        )
        for one in summary.category_ways
    ]
    same = "The last step" if summary.steps else "The same plan"
    text: list[str] = [
        f"{same} with all categories treated one way: group (each group gets its mode or median), suppress (true "
        "values, cells made missing until k records share each combination), within (true values, groups stay within "
        "them). Over all columns is the mean of the variation that numbers lose and of the cells that categories lose."
    ]
    text += [
        Markup("<code>{}</code>: <bdi>{}</bdi>").format(one.way, printable(one.refused))
        for one in summary.category_ways
        if one.refused
    ]
    table = PageTable("Three ways with categories", head, rows, frozenset(range(1, len(head))))
    return PageSection("categories", "Three ways with categories", text, table=table)


def rule_section(summary: Summary) -> PageSection | None:
    """Return the edit rules, and which of them the release keeps."""
    if not summary.rules:
        return None
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
    table = PageTable("Edit rules and whether the release keeps them", ("rule", "kind", "in the release"), rows)
    return PageSection("rules", "Edit rules", text, table=table, folded=len(rows) > _MOST_ROWS)


def variable_section(summary: Summary) -> PageSection | None:
    """Return every variable with its kind, its role and its treatment."""
    if not summary.variables:
        return None
    head = ["variable", "label", "kind", "role", "treatment", "missing", "lost"]
    rows = [
        [
            name_markup(one.name),
            name_markup(one.label) if one.label else "",
            one.kind or "",
            one.role,
            one.treatment,
            f"{one.missing:,}" if one.missing else "",
            percent_text(one.loss) if one.loss is not None else "",
        ]
        for one in summary.variables
    ]
    shown = [place for place, _ in enumerate(head) if place in (0, 4) or any(row[place] for row in rows)]
    table = PageTable(
        "Variables and their treatment",
        [head[place] for place in shown],
        [[row[place] for place in shown] for row in rows],
        frozenset(number for number, place in enumerate(shown) if place > 4),
    )
    text = ["What each variable is, and what was done to it."]
    if summary.audience == "internal" and summary.released_as_is:
        text.append("Variables released as they are have no protection: an intruder can use them as key variables.")
    if summary.outside:
        shares = Shares(summary.least_share)
        some = [(name_markup(name), shares.text(share)) for name, share in list(summary.outside.items())[:_MOST_ROWS]]
        more = f" and {len(summary.outside) - len(some)} more variables" if len(summary.outside) > len(some) else ""
        listed = Markup(", ").join(Markup("{} ({})").format(*one) for one in some)
        text.append(Markup("Values outside the range of the original: {}{}.").format(listed, more))
    return PageSection("variables", "Variables", text, table=table, folded=len(rows) > _MOST_ROWS)
