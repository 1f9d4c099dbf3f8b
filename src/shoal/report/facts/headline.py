"""The headline of a release in words: how alike its records are and how many are linked, over all that is released."""

from __future__ import annotations

import math
from collections.abc import Iterator

from shoal.measure import Evaluation
from shoal.measure.headline import Headline
from shoal.report.facts.summary import HeadlineFacts, ScenarioFacts
from shoal.report.publish.shares import Shares
from shoal.report.wording import printable

__all__ = [
    "LINKED",
    "alike_text",
    "headline_facts",
    "headline_lines",
    "linkage_text",
    "protected_facts",
    "scenario_facts",
    "uniques_text",
]

LINKED = "of the records are linked to their own by the nearest released record"


def headline_facts(
    evaluation: Evaluation, k: int | None, shares: Shares, fewest: int, *, linkage: bool = True
) -> HeadlineFacts:
    """Return the headline as it may be given.

    Parameters
    ----------
    evaluation
        The measures.
    k
        The k that the method promises; None if it promises none, or is not known.
    shares
        How shares of records may be given.
    fewest
        The fewest records that may be counted.
    linkage
        Whether to measure linkage, if it is not known, which takes long in large files.
    """
    weights = evaluation.weights
    with_weights = None
    if weights is not None and weights in evaluation.masked_names:
        with_weights = _count(evaluation.alike([*evaluation.released, weights]).uniques, fewest)
    wildcard = None if evaluation.wildcard_k is None or evaluation.wildcard_k < fewest else evaluation.wildcard_k
    alike = evaluation.headline if linkage else _without_linkage(evaluation)
    return _facts(alike, len(evaluation.released), k, shares, fewest).model_copy(
        update={
            "k_with_wildcards": wildcard,
            "weights": weights if with_weights is not None else None,
            "uniques_with_weights": with_weights,
            "sampled": evaluation.linkage.parts.get("sampled") if linkage else None,
            "unit": evaluation.unit,
            "unique_units": evaluation.unique_units if fewest == 1 else None,
        }
    )


def protected_facts(evaluation: Evaluation, k: int | None, shares: Shares, fewest: int) -> HeadlineFacts | None:
    """Return the same over the protected columns alone; None where it is the same."""
    alone = evaluation.protected
    if alone is None or alone == evaluation.headline:
        return None
    return _facts(alone, len(evaluation.columns), k, shares, fewest)


def scenario_facts(evaluation: Evaluation, shares: Shares, fewest: int) -> list[ScenarioFacts]:
    """Return the scenarios as they may be given."""
    return [
        ScenarioFacts(
            name=name,
            columns=risk["columns"],
            k=risk["k"] if risk["k"] >= fewest else None,
            uniques=_count(risk["uniques"], fewest),
            linkage=shares.bounded(risk["linkage"]) if shares.can_be_given else None,
        )
        for name, risk in evaluation.scenarios.items()
    ]


def _without_linkage(evaluation: Evaluation) -> Headline:
    alike = evaluation.alike(evaluation.released)
    return Headline(records=evaluation.records, units=alike.units, k=alike.k, uniques=alike.uniques, linkage=math.nan)


def _facts(headline: Headline, columns: int, k: int | None, shares: Shares, fewest: int) -> HeadlineFacts:
    linkage = headline["linkage"]
    return HeadlineFacts(
        records=headline["records"],
        units=headline["units"],
        columns=columns,
        k=headline["k"] if headline["k"] >= fewest else None,
        uniques=_count(headline["uniques"], fewest),
        linkage=shares.bounded(linkage) if shares.can_be_given and not math.isnan(linkage) else None,
        k_promised=k,
        are_k_alike=headline["k"] >= (2 if k is None else k),
    )


def _count(uniques: int, fewest: int) -> int | None:
    """Return a count, None for one that is too small to be given."""
    return uniques if uniques == 0 or uniques >= fewest else None


def alike_text(headline: HeadlineFacts) -> str:
    """Say how alike records are: "every record is the same as at least 4 others over all 12 released columns"."""
    over = f"over all {headline.columns:,} released columns" if headline.columns > 1 else "in the one released column"
    if headline.uniques != 0:
        return f"{uniques_text(headline)} {over}"
    if headline.k is None:
        return f"records are not {headline.k_promised} alike {over}"
    if headline.units is not None:
        return f"at least {headline.k:,} different units are behind every combination of values {over}"
    others = f"{headline.k - 1:,} other{'s' * (headline.k != 2)}"
    text = f"every record is the same as at least {others} {over}"
    if headline.k_promised is not None and not headline.are_k_alike:
        text += f", where {headline.k_promised - 1:,} were promised"
    return text


def uniques_text(headline: HeadlineFacts) -> str:
    """Say how many records, or units, are unique."""
    count = "some" if headline.uniques is None else f"{headline.uniques:,}"
    if headline.units is not None:
        return f"{count} of {headline.units:,} units have a record that no other unit has"
    return f"{count} of {headline.records:,} records are unique"


def linkage_text(headline: HeadlineFacts, shares: Shares) -> str:
    """Say how many records are linked, "" where it may not be said."""
    if headline.linkage is None:
        return ""
    share = f"{headline.linkage:.2f} %" if shares.least is None else shares.text(headline.linkage)
    sample = f" (looked for: {headline.sampled:,} of them)" if headline.sampled else ""
    return f"{share} {LINKED}{sample}"


def headline_lines(
    headline: HeadlineFacts, alone: HeadlineFacts | None, promises_none: str = ""
) -> Iterator[tuple[str, str]]:
    """Yield the headline for those who may see the original, a fact a line with its word.

    Parameters
    ----------
    headline, alone
        The headline, and the same over the protected columns alone where it differs.
    promises_none
        Why no k is promised, if none is.
    """
    if promises_none:
        yield "k", f"none is promised: {promises_none}"
        yield "alike", f"{headline.k}, the fewest records alike: {alike_text(headline)}"
    else:
        yield "k", f"{headline.k}: {alike_text(headline)}"
    if headline.uniques == 0:
        yield "unique", uniques_text(headline)
    yield "linkage", linkage_text(headline, Shares(None))
    if headline.k_with_wildcards is not None and headline.k_with_wildcards != headline.k:
        yield "missing", f"k is {headline.k_with_wildcards} if a missing value agrees with every value"
    if headline.uniques_with_weights is not None:
        unit = "units" if headline.units is not None else "records"
        yield "weights", f"not counted above; with them {headline.uniques_with_weights:,} {unit} are unique"
    if headline.unique_units is not None:
        units = f"{headline.units:,} of {printable(headline.unit or '')}"
        yield "units", f"{units}; {headline.unique_units:,} unique by the set of their records"
    if alone is not None:
        over = f"the {alone.columns:,} protected column{'s' * (alone.columns != 1)} alone"
        yield "", f"over {over}: k {alone.k}, {uniques_text(alone)}, linkage {alone.linkage:.2f} %"
