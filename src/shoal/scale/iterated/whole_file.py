"""Which plans go over the whole file again and again, and how they are carried out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from shoal.errors import MethodError
from shoal.flow.plan import Plan
from shoal.partition.fuzzy.soft_method import SoftMethod
from shoal.scale.blocks.local import result_of
from shoal.scale.cluster import Cluster
from shoal.scale.input.moments import ExactMoments
from shoal.scale.iterated.clusters.fuzzy import is_clustered_whole, protect_by_clusters
from shoal.scale.iterated.passes import Page
from shoal.scale.iterated.releasing import PagedRun
from shoal.scale.iterated.rewritten.synthetic import is_rewritten_whole, protect_by_rewriting
from shoal.scale.random_order import Leaving
from shoal.scale.setting import RunSetting

__all__ = ["iterates", "protect_whole_file", "refuse_unsuited_draws"]


def iterates(plan: Plan) -> bool:
    """Whether the plan is carried out in passes over the whole file, not in blocks that a worker protects alone."""
    return is_clustered_whole(plan) or is_rewritten_whole(plan)


def refuse_unsuited_draws(plan: Plan) -> None:
    """Raise MethodError, before any work, for what is drawn and cannot be on a cluster."""
    method, shared = plan.masking.method, plan.masking.replacement
    if not plan.family.no_k:
        return
    owner = f'replace "{shared.name}"' if shared is not None and plan.family.rewrites else f'The method "{method.name}"'
    if plan.weights is not None:
        raise MethodError(
            f'{owner} does not support sampling weights. Give "{plan.weights}" another role.', method=method.name
        )
    # Blocks would each take all of the clusters for themselves.
    if isinstance(method, SoftMethod) and method.part is not None and method.n_clusters is not None:
        raise MethodError(
            "n_clusters together with part is not carried out on a cluster. Leave part out to cluster the whole file, "
            "or n_clusters to have one for every k records.",
            method=method.name,
        )


def protect_whole_file(
    cluster: Cluster, pages: Sequence[Page], setting: RunSetting, moments: Mapping[str, ExactMoments], leaving: Leaving
) -> None:
    """Protect all pages, and leave in the folder of the run what blocks would have left."""
    waiting = [page for page in pages if result_of(page.number, setting.folder) is None]
    if not waiting:
        return
    protect = protect_by_clusters if is_clustered_whole(setting.plan) else protect_by_rewriting

    def tasks(function: Any, items: Sequence[Any], *shared: Any) -> list[Any]:
        return cluster.map(function, items, *shared, doing="going over the file")

    protect(PagedRun(tasks, pages, waiting, setting, leaving, moments))
