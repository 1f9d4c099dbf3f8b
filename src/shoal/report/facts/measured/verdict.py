"""What came of a release, in one sentence."""

from __future__ import annotations

from shoal.measure import Evaluation
from shoal.measure.options import options_text
from shoal.report.publish.shares import Shares

__all__ = ["verdict_on"]

_TRACING = ("distance_linkage", "transparency_attack")
# Up to which percentage of records traced, and of the variation lost, which words are used.
_TRACED = ((5.0, "hardly any record can be traced"), (20.0, "some records can be traced"))
_LOST = ((10.0, "little information is lost"), (30.0, "some information is lost"))


def verdict_on(evaluation: Evaluation, promise: str, shares: Shares, fewest: int) -> str:
    """Return one sentence: what holds, how many records can be traced and how much information is lost.

    Parameters
    ----------
    evaluation
        The measures.
    promise
        What holds of every protected value; "" if nothing does.
    shares
        How shares of records may be given.
    fewest
        The fewest records that may be spoken of.
    """
    outcome = " and ".join(text for text in (_traced(evaluation, shares, fewest), _lost(evaluation)) if text)
    if not outcome:
        return f"{promise or 'Two files were compared'}; nothing was measured."
    return f"{promise}; {outcome}." if promise else f"{outcome[0].upper()}{outcome[1:]}."


def _traced(evaluation: Evaluation, shares: Shares, fewest: int) -> str:
    """Say how many records an intruder finds, in words that tell no more than the values that are given."""
    measured = {name: evaluation.measured[name] for name in _TRACING if name in evaluation.measured}
    options = {name: own for name, own in evaluation.options.items() if name in measured}
    if "distance_linkage" in options and evaluation.score is not None:
        measured["distance_linkage"] = evaluation.score.distance_linkage  # with the default options
        del options["distance_linkage"]
    linked = max(map(float, measured.values()), default=None)
    if linked is None or not shares.can_be_given:
        return ""
    attack = measured.get("transparency_attack")
    how = "" if attack is None or attack < linked else " by an intruder who knows the method"
    how += f", {options_text(options)}" if options else ""
    share, least = shares.bounded(linked), shares.least
    if least is not None and share <= least:
        return f"at most {fewest} records can be traced ({least:.1f} %{how})"
    words = next((words for most, words in _TRACED if share <= most), "many records can be traced")
    return f"{words} ({share:.1f} %{how})"


def _lost(evaluation: Evaluation) -> str:
    """Say how much of the variation is lost."""
    lost = evaluation.information_loss
    if lost is None:
        return ""
    words = next((words for most, words in _LOST if lost <= most), "much information is lost")
    return f"{words} ({float(lost):.1f} % of the variation)"
