"""The disclosure scenarios that a plan starts with: what an intruder may know of a person."""

from __future__ import annotations

from collections.abc import Mapping

from shoal.describe import Role
from shoal.measure.headline import EVERYTHING

__all__ = ["usual_scenarios"]


def usual_scenarios(roles: Mapping[str, Role]) -> dict[str, list[str]]:
    """Return the columns that an intruder knows, by the name of the scenario.

    Key variables alone, where there are some, and everything that is released; each also with the sampling weights.
    """
    keys = [name for name, role in roles.items() if role == "key"]
    weights = [name for name, role in roles.items() if role == "weight"]
    scenarios = {"keys": keys} if keys else {}
    scenarios["everything"] = [EVERYTHING]
    with_weights = {f"{name} and weights": [*columns, *weights] for name, columns in scenarios.items()}
    return scenarios | with_weights if weights else scenarios
