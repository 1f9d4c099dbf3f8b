"""Measure: what the protection cost (utility) and what it buys (risk)."""

from shoal.measure.evaluation import Evaluation, evaluate
from shoal.measure.measure import Measure
from shoal.measure.risk.k_anonymity import k_anonymity
from shoal.measure.utility.information_loss import information_loss, sse

__all__ = ["Evaluation", "Measure", "evaluate", "information_loss", "k_anonymity", "sse"]
