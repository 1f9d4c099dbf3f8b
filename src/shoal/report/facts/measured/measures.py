"""Every measure of a release as it may be given: its value, what it means and which way is good."""

from __future__ import annotations

import numpy as np

from shoal.measure import MEASURES, Evaluation
from shoal.measure.options import full_options
from shoal.report.facts.summary import MeasureFacts
from shoal.report.publish.shares import Shares, is_share

__all__ = ["measure_facts"]

_BESIDE = ("again", "chance")  # parts of a measure that its value is compared with


def measure_facts(evaluation: Evaluation, shares: Shares, fewest: int) -> list[MeasureFacts]:
    """Return the measures as they may be given, `fewest` being the fewest records that may be counted."""
    measures = []
    values = shares.values(evaluation.measured)
    options = full_options(evaluation.options, values)
    for name, value in values.items():
        about, measured = MEASURES[name].about, evaluation.measured[name]
        if about.unit == "records" and value < fewest:
            continue
        low, high = (end if np.isfinite(end) else None for end in about.range)
        measures.append(
            MeasureFacts(
                name=name,
                title=about.title,
                value=value,
                unit=about.unit,
                better=about.better,
                side=about.side,  # type: ignore[arg-type]  # no partitions among them
                definition=about.definition,
                reference=about.reference,
                least=low,
                greatest=high,
                sampled=measured.parts.get("sampled"),
                standard_error=shares.error_of(measured, value),
                **{part: shares.rounded(measured.parts[part]) for part in _BESIDE if part in measured.parts},
                is_share=is_share(name),
                options=options.get(name, {}),
                not_default=dict(evaluation.options.get(name, {})),
            )
        )
    return measures
