"""shoal protects tables of personal or business records so that they can be shared, and measures what that costs.

A record is safe in a shoal of at least k.

>>> release = shoal.protect("census.csv", k=5)
>>> release.data          # the protected table
>>> release.evaluate()    # information loss and disclosure risk

The modules are the steps of the flow: read, describe, (recode), (edits), partition, replace, measure, (report). Public
names are imported when first used, so that `import shoal` is quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from shoal import datasets, describe, edits, errors, measure, partition, read, recode, replace, write
    from shoal.describe import describe_table
    from shoal.edits import read_edits
    from shoal.flow.job.reading import read_job
    from shoal.flow.plan import Plan
    from shoal.flow.protect import protect
    from shoal.flow.release import Release
    from shoal.measure import Evaluation, evaluate
    from shoal.read import read_table
    from shoal.search.comparison import Comparison, compare
    from shoal.search.tune import tune
    from shoal.search.tuning import Tuning
    from shoal.write import write_table

__version__ = "0.1.0"

__all__ = [
    "Comparison",
    "Evaluation",
    "Plan",
    "Release",
    "Tuning",
    "compare",
    "datasets",
    "describe",
    "describe_table",
    "edits",
    "errors",
    "evaluate",
    "measure",
    "partition",
    "protect",
    "read",
    "read_edits",
    "read_job",
    "read_table",
    "recode",
    "replace",
    "tune",
    "write",
    "write_table",
]

_HOME = {
    "read_table": "shoal.read",
    "write_table": "shoal.write",
    "describe_table": "shoal.describe",
    "read_edits": "shoal.edits",
    "protect": "shoal.flow.protect",
    "read_job": "shoal.flow.job.reading",
    "Plan": "shoal.flow.plan",
    "Release": "shoal.flow.release",
    "compare": "shoal.search.comparison",
    "Comparison": "shoal.search.comparison",
    "tune": "shoal.search.tune",
    "Tuning": "shoal.search.tuning",
    "evaluate": "shoal.measure",
    "Evaluation": "shoal.measure",
}


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    if name in __all__:
        return import_module(f"shoal.{name}")
    raise AttributeError(f"module 'shoal' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
