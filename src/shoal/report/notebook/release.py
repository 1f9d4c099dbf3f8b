"""What a notebook shows of a release: what holds, values to read first, scenarios, distributions and notes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from markupsafe import Markup

from shoal.flow.chain.whole_chain import kinds_in_chain, largest_k
from shoal.measure import Evaluation
from shoal.report.facts.collect import summarize
from shoal.report.facts.headline import scenario_facts
from shoal.report.facts.shapes import categories_in, shape_of_amounts, shape_of_categories
from shoal.report.facts.summary import Shape, Summary, VariableFacts
from shoal.report.notebook.fragment import fragment
from shoal.report.page.distribution_sections import distribution_section
from shoal.report.page.measure_sections import scenario_section
from shoal.report.page.parts import PageSection, names_markup
from shoal.report.page.sections import cards_of
from shoal.report.publish.shares import Shares
from shoal.report.wording import printable

if TYPE_CHECKING:
    from shoal.flow.release import Release

__all__ = ["MOST_RECORDS", "release_fragment"]

MOST_RECORDS = 100_000  # up to which linkage is measured and distributions are drawn without being asked for
_MOST_DRAWN = 12
_SHOWS_ORIGINAL = (
    "For those who may see the original, whose distributions are shown below. Clear this output before you pass the "
    "notebook on."
)


def release_fragment(release: Release) -> str:
    """Return what a notebook shows of a release.

    Of measures, only information loss and what an intruder finds are computed, and of a large table linkage alone, if
    its headline was asked for before.
    """
    release = release.shown
    is_small = len(release.masked) <= MOST_RECORDS
    is_measured = is_small or "_headline" in vars(release)
    risks = ["distance_linkage"] * is_measured + ["transparency_attack"] * is_small
    evaluation = release.evaluate(measures=["information_loss", *risks])
    summary = summarize(release, "internal", evaluation, distributions=False, linkage=is_measured)
    if is_small:
        summary = _with_shapes(release, _with_scenarios(summary, evaluation))
    scenarios, distributions = scenario_section(summary), distribution_section(summary)
    notes = PageSection("notes", "Notes", bullets=[*_notes(release, summary, is_measured=is_measured)])
    many = scenarios is not None and scenarios.table is not None and len(scenarios.table.rows) > 1
    sections = [scenarios if many else None, distributions, notes]
    return fragment(
        summary.title,
        summary.verdict,
        cards_of(summary),
        [one for one in sections if one is not None],
        opened=("scenarios", "notes"),
        note="" if distributions is None else _SHOWS_ORIGINAL,
    )


def _with_scenarios(summary: Summary, evaluation: Evaluation) -> Summary:
    return summary.model_copy(update={"scenarios": scenario_facts(evaluation, Shares(None), 1)})


def _with_shapes(release: Release, summary: Summary) -> Summary:
    """Return the summary with the distributions of the variables that lose most, no bin with fewer than k records."""
    protected = [one for one in summary.variables if one.protected and one.name in release.masked]
    drawn = {one.name for one in sorted(protected, key=lambda one: -(one.loss or 0.0))[:_MOST_DRAWN]}
    variables = [
        one.model_copy(update={"shape": _shape(release, one)}) if one.name in drawn else one
        for one in summary.variables
    ]
    return summary.model_copy(update={"variables": variables})


def _shape(release: Release, variable: VariableFacts) -> Shape | None:
    tables, fewest = (release.masked, release.recoded), largest_k(release.plan)
    if kinds_in_chain(release.plan).get(variable.name) == "continuous":
        return shape_of_amounts([table.numbers(variable.name) for table in tables], fewest)
    labels = release.recoded.labels.values.get(variable.name, {})
    return shape_of_categories([categories_in(table, variable.name) for table in tables], labels, fewest)


def _notes(release: Release, summary: Summary, *, is_measured: bool) -> Iterator[str]:
    """Yield how records were protected, what was not, and what is to be known of the release."""
    yield from _how(summary)
    outcome = release.plan.outcome
    if outcome is not None and outcome.unchanged:
        unique = f". On these, {outcome.unique_by_unchanged:,} of {summary.records:,} records are unique."
        yield Markup("NOT PROTECTED ({}): {}{}").format(
            f"{len(outcome.unchanged):,}", names_markup(outcome.unchanged, 12), unique
        )
    if summary.dropped:
        yield Markup("Dropped: {}.").format(names_markup(summary.dropped, 12))
    for line in (*summary.recoded, *summary.notes):
        yield Markup("<bdi>{}</bdi>").format(printable(line))
    if not is_measured:
        yield f"Of more than {MOST_RECORDS:,} records, linkage is measured when you ask for it: release.headline."


def _how(summary: Summary) -> Iterator[str]:
    """Yield which methods protected which columns, step by step where there are several."""
    for number, step in enumerate(summary.steps, start=1):
        k = "no k is promised" if step.k is None else f"k={step.k}"
        how = f"Step {number}: grouped by {step.method}, replaced by {', '.join(step.replace)}, {k}: "
        yield Markup("{}{}.").format(how, names_markup(step.columns, 12))
    if not summary.steps:
        grouped = f"grouped by {summary.method}, " if summary.in_groups else ""
        k = f"no k is promised, as {summary.no_k}" if summary.no_k else f"k={summary.k} was asked for"
        columns = f"{len(summary.protected):,} of {len(summary.variables):,} columns are protected"
        yield f"{columns}: {grouped}replaced by {', '.join(summary.replace)}; {k}."
