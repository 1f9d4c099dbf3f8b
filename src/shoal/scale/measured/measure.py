"""Two folders compared on a cluster: the measures of `shoal.evaluate`, from passes that no one holds a file for."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from shoal.describe.variables import Kind
from shoal.errors import DescriptionWarning, ParameterError, warn
from shoal.flow.plan import Plan
from shoal.measure.measuring import names_of_measures
from shoal.measure.options import MeasureOptions, checked_measure_options
from shoal.progress import step
from shoal.scale.cluster import Cluster
from shoal.scale.input.parts import CHUNK
from shoal.scale.measured.cluster_evaluation import ClusterEvaluation
from shoal.scale.measured.measurement import Measurement
from shoal.scale.measured.passes.intervals import IntervalOptions
from shoal.scale.measured.passes.numbers_compared import BOUNDARIES
from shoal.scale.measured.passes.opened_files import OpenedFiles, open_files
from shoal.scale.measured.private_folder import private_folder
from shoal.scale.released.digests import is_release_of

__all__ = ["measure_parts", "measured_with_sample"]

_WITH_OPTIONS = ("interval_disclosure",)


def measure_parts(
    original: str | os.PathLike[str],
    masked: str | os.PathLike[str],
    cluster: Cluster,
    *,
    plan: Plan | None = None,
    columns: Iterable[Any] | None = None,
    kinds: Mapping[str, Kind] | None = None,
    weights: str | None = None,
    unit: str | None = None,
    k: int | None = None,
    measures: Iterable[str] | None = None,
    options: MeasureOptions | None = None,
    seed: int = 0,
    aligned: bool = False,
    boundaries: int = BOUNDARIES,
    chunk_rows: int = CHUNK,
) -> ClusterEvaluation:
    """Measure a release against its original on a cluster, both folders of Parquet files.

    Parameters
    ----------
    original, masked
        The folders, or single files.
    cluster
        The workers.
    plan
        The plan of the release, which says what was done and in which order rows left. Without it, rows are in the
        order of the original.
    columns, kinds, weights, unit, k
        As in `shoal.evaluate`; not with a plan, which knows them.
    measures, options, seed, aligned
        As in `shoal.evaluate`. Options are those of interval disclosure.
    boundaries, chunk_rows
        How many values of a column are boundaries that others are counted between, and how many rows a worker reads at
        once. They change how long it takes, and not what is measured.

    Raises
    ------
    PlanError
        The plan is not that of these files.
    """
    asked = {"columns": columns, "kinds": kinds, "weights": weights, "unit": unit, "k": k}
    how: dict[str, Any] = {"measures": measures, "options": options, "seed": seed, "aligned": aligned}
    with cluster:
        return measured_with_sample(
            original, masked, cluster, plan, asked, boundaries=boundaries, chunk_rows=chunk_rows, **how
        )[0]


def measured_with_sample(
    original: str | os.PathLike[str],
    masked: str | os.PathLike[str],
    cluster: Cluster,
    plan: Plan | None,
    facts: Mapping[str, Any],
    *,
    measures: Iterable[str] | None = None,
    options: MeasureOptions | None = None,
    seed: int = 0,
    aligned: bool = False,
    boundaries: int = BOUNDARIES,
    chunk_rows: int = CHUNK,
) -> tuple[ClusterEvaluation, OpenedFiles]:
    """Measure a release as `measure_parts` does, on workers that have started; return samples of both files too."""
    chosen, names = _options(options), names_of_measures(measures)
    if plan is not None:
        if any(value is not None for value in facts.values()):
            raise ParameterError("The plan decides everything. Leave columns, kinds, weights, unit and k out.")
        facts = plan.facts
        if not aligned:
            of_plan = is_release_of(plan, Path(masked), cluster)
            aligned = bool(of_plan)
            if of_plan is False:
                warn(
                    f"{masked} has changed since it was written, or the plan is of another release.", DescriptionWarning
                )
    with private_folder(Path(masked)) as folder:
        with step(0.3):
            files = open_files(original, masked, cluster, plan, facts, folder, chunk_rows, aligned=aligned)
        run = Measurement(cluster, files, facts, chosen, seed, boundaries, folder)
        with step(0.25):
            run.count(names)
        with step(0.35):
            run.compare(names)
        with step(0.1):
            return run.evaluation(names, options=checked_measure_options(options)), files


def _options(options: MeasureOptions | None) -> IntervalOptions:
    given = checked_measure_options(options)
    for name in given:
        if name not in _WITH_OPTIONS:
            raise ParameterError(
                f"On a cluster {name} is measured with its default options. Leave its options out, or the engine."
            )
    return IntervalOptions(**given.get("interval_disclosure", {}))
