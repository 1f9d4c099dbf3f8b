"""What an intruder finds who knows the method: the numbers and the sentence that every page and text takes."""

from __future__ import annotations

from shoal.measure import Evaluation
from shoal.report.facts.summary import AttackFacts
from shoal.report.publish.shares import Shares

__all__ = ["FOUND", "attack_facts", "attack_text"]

FOUND = "of the records are found by an intruder who knows the method"

_RATES = ("expected", "best_guess", "certain", "coverage", "false_unique", "linkage")


def attack_facts(evaluation: Evaluation, shares: Shares, fewest: int) -> AttackFacts | None:
    """Return what the transparency attack finds, as it may be given; None if it was not made.

    Parameters
    ----------
    evaluation
        The measures.
    shares
        How shares of records may be given.
    fewest
        The fewest records that may be counted.
    """
    attack = evaluation.transparency_attack
    if attack is None or not shares.can_be_given:
        return None
    candidates = float(attack.candidates)
    return AttackFacts(
        found=shares.bounded(attack),
        known=attack.known,
        candidates=shares.rounded(candidates) if candidates >= fewest else None,
        **{name: shares.bounded(attack.parts[name]) for name in _RATES},
    )


def attack_text(attack: AttackFacts, shares: Shares) -> str:
    """Return it as a sentence, without its full stop."""
    variables = f"{attack.known:,} variable{'s' * (attack.known != 1)} of everybody"
    return (
        f"{shares.text(attack.found)} {FOUND} and {variables}; {shares.text(attack.certain)} are identified with "
        f"certainty, {shares.text(attack.false_unique)} taken for another; the true record is among the candidates for "
        f"{shares.text(attack.coverage)}"
    )
