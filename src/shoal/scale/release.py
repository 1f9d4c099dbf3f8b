"""A release that was made on a cluster: a folder of Parquet files, its plan and its headline."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal.flow.outcome import Output
from shoal.flow.plan import Plan
from shoal.measure.headline import Headline
from shoal.parameters.default import DEFAULT_PLAN
from shoal.report.writing import Audience
from shoal.scale.cluster import Cluster
from shoal.scale.measured.cluster_evaluation import ClusterEvaluation
from shoal.scale.measured.measure import measure_parts
from shoal.scale.measured.report import report_parts
from shoal.scale.write_again import write_again

__all__ = ["ClusterRelease"]


@dataclass(frozen=True)
class ClusterRelease:
    """What `shoal.protect` returns for a Dask frame, and what the engine "dask" writes.

    Attributes
    ----------
    source, path
        The folders of the original and of the release.
    plan
        What was done; the same plan gives the same release.
    headline
        What is said first of the release: records, units, k, uniques, and linkage in %. Linkage looks for a sample of
        10,000 records, in the whole release.
    losses
        By column of numbers, the information loss in %.
    blocks
        In how many blocks the file was protected.
    """

    source: Path
    path: Path
    plan: Plan
    headline: Headline
    losses: Mapping[str, float]
    blocks: int

    def __repr__(self) -> str:
        head = self.headline
        units = "" if head["units"] is None else f" of {head['units']:,} units"
        return (
            f"ClusterRelease({head['records']:,} records{units}, k={head['k']}, {head['uniques']:,} unique, "
            f"linkage {head['linkage']:.2f} %)"
        )

    @property
    def information_loss(self) -> float | None:
        """The squared error in % of the variation, the mean over the columns of numbers; None where there are none."""
        return sum(self.losses.values()) / len(self.losses) if self.losses else None

    def write(
        self,
        path: str | os.PathLike[str],
        *,
        keep_order: bool = False,
        plan: str | os.PathLike[str] | None = DEFAULT_PLAN,
        cluster: Cluster | None = None,
    ) -> None:
        """Write the release as a folder of Parquet files, its rows in random order, and beside it its plan.

        Parameters
        ----------
        path
            The folder. It is written whole or not at all.
        keep_order
            Whether to write the rows in the order of the input. It is warned of.
        plan
            Where to write the plan: by default beside the release, as ``masked.plan.toml``; None writes none.
        cluster
            The workers; by default some on this machine.
        """
        write_again(self.path, Path(path), self.plan, cluster or Cluster(), keep_order=keep_order, plan_path=plan)

    def evaluate(self, cluster: Cluster | None = None, **options: Any) -> ClusterEvaluation:
        """Measure information loss and disclosure risk on a cluster.

        Parameters
        ----------
        cluster
            The workers; by default some on this machine.
        **options
            `measures`, `options` and `seed` of `shoal.evaluate`.
        """
        return measure_parts(self.source, self.path, cluster or Cluster(), plan=self._placed, aligned=True, **options)

    def report(
        self, path: str | os.PathLike[str], audience: Audience = "internal", cluster: Cluster | None = None
    ) -> None:
        """Write a report on the release as one HTML file; distributions are those of a sample, and the page says so.

        Parameters
        ----------
        path
            Where to.
        audience
            "internal", for those who may see the original, or "public", to publish with the release.
        cluster
            The workers; by default some on this machine.
        """
        workers = cluster or Cluster()
        report_parts(self.source, self.path, workers, path, plan=self._placed, audience=audience, aligned=True)

    @property
    def _placed(self) -> Plan:
        """The plan with where the release lies now: that of a Dask frame is in a private folder, in its order."""
        output = Output(path=str(self.path.resolve()), keep_order=True)
        return self.plan if self.plan.output is not None else self.plan.model_copy(update={"output": output})

    @property
    def data(self) -> Any:
        """The protected table as a Dask frame."""
        import dask.dataframe

        return dask.dataframe.read_parquet(str(self.path))
