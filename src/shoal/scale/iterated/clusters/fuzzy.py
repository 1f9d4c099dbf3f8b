"""Fuzzy microaggregation of a whole file: clusters of every stratum, then a centre drawn for every record."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from shoal.describe.standardize import Scale
from shoal.edits.keep.last_digit import to_last_digit
from shoal.errors import DataError, MethodError
from shoal.flow.blocks.fuzzy import constraints_of, warn_of_draw
from shoal.flow.blocks.work import ProtectedBlock, Work
from shoal.flow.plan import Plan
from shoal.partition import Partition
from shoal.partition.fuzzy.projection import feasible_set
from shoal.partition.fuzzy.soft_method import SoftMethod
from shoal.replace import MembershipDraw
from shoal.replace.family import DRAWN
from shoal.scale.input.moments import ExactMoments
from shoal.scale.iterated.clusters.averaging import averaged
from shoal.scale.iterated.clusters.clustering import clustered
from shoal.scale.iterated.clusters.confidential import alike_in
from shoal.scale.iterated.clusters.drawing import Drawing, Drawn, drawn, labels_of
from shoal.scale.iterated.numbers import PageColumns, write_numbers
from shoal.scale.iterated.passes import Page, Passes, in_step
from shoal.scale.iterated.releasing import PagedRun, Said, release_page
from shoal.scale.random_order import Leaving
from shoal.scale.setting import RunSetting

__all__ = ["is_clustered_whole", "protect_by_clusters"]

Doubles = NDArray[np.float64]
Labels = NDArray[np.int64]

_AS_IT_IS = Scale(0.0, 1.0, 0)
_LARGEST = 1e100  # squares of larger numbers, and sums of them, leave floating point


@dataclass(frozen=True)
class _Centres:
    """What comes of one block of variables in one stratum.

    Attributes
    ----------
    centres
        The centres on the scale of the matrix.
    behind
        The effective number of records behind each.
    draw
        Which records got them.
    alike
        By confidential column, how many of the groups have one value of it only.
    """

    centres: Doubles
    behind: Doubles
    draw: Drawn
    alike: Mapping[str, int]

    @property
    def used(self) -> NDArray[np.bool_]:
        """Which centres some record has."""
        return self.draw.counts > 0

    @property
    def sizes(self) -> Labels:
        """The records of every group; centres that came out the same are one."""
        return np.bincount(_group_of(self.centres), weights=self.draw.counts).astype(np.int64)


def is_clustered_whole(plan: Plan) -> bool:
    """Whether fuzzy clusters are those of the whole file, and not of parts of it that one worker holds."""
    method = plan.masking.method
    return plan.family is DRAWN and isinstance(method, SoftMethod) and method.part is None


def protect_by_clusters(run: PagedRun) -> None:
    """Cluster every stratum, draw a centre for every record, and release the pages that are waiting."""
    plan, setting = run.setting.plan, run.setting
    _refuse(plan, run.moments)
    found: list[list[_Centres]] = []
    for number, block in enumerate(plan.blocks):
        strata = run.strata(number)
        scaled = [(name, _scale(plan, setting, name)) for name in _varying(setting, block)]
        run.tasks(write_numbers, [page for own in strata for page in own], setting, PageColumns(scaled))
        jobs = [_centres_of(pages, setting, number, stratum, run.moments) for stratum, pages in enumerate(strata)]
        found.append(in_step(run.tasks, jobs))
    said = _said(found)
    items = [(page, [_for_page(own[page.stratum], page) for own in found], said) for page in run.waiting]
    run.tasks(_release, items, setting, run.leaving)
    sizes = np.concatenate([one.sizes for own in found for one in own])
    draw = plan.replacements[plan.columns[0]]
    assert isinstance(draw, MembershipDraw)
    warn_of_draw(plan, draw, sum(one.draw.unchanged for one in found[0]), sizes[sizes > 0])


def _centres_of(
    pages: Sequence[Page], setting: RunSetting, number: int, stratum: int, moments: Mapping[str, ExactMoments]
) -> Passes[_Centres]:
    """Cluster one stratum in one block of variables, and draw."""
    plan, block = setting.plan, setting.plan.blocks[number]
    method, draw = plan.masking.method, plan.replacements[block[0]]
    assert isinstance(method, SoftMethod) and isinstance(draw, MembershipDraw)
    varying = _varying(setting, block)
    if not varying:
        raise MethodError("All variables of a block are constant: there is nothing to cluster.", method=method.name)
    linear = constraints_of(
        [atom for rule in plan.edits if set(rule.variables) <= set(block) for atom in rule.sums],
        {name: np.array([moments[name].lowest]) for name in block},
        varying,
        [_scale(plan, setting, name) for name in varying],
    )
    allowed = feasible_set(len(varying), linear.get("constraints"), linear.get("inequalities"), None)
    project = None if allowed is None else allowed.project
    records = sum(page.records for page in pages)
    rule = method.rule(method.fuzziness[1])
    clusters = yield from clustered(
        pages,
        method.clusterer(records, 1.0).n_clusters,
        rule,
        method,
        project,
        projects_each_time=method.mode == "alternate",
    )
    fewest = draw.fewest(plan.k)
    means = yield from averaged(pages, clusters.centres, rule, method.power, fewest)
    centres = means.means if project is None else project(means.means)
    drawing = Drawing(
        centres,
        method.rule(draw.fuzziness(method)),
        _units(plan, setting, varying) if fewest else None,
        (plan.seed, number, stratum),
    )
    labels = yield from drawn(pages, drawing, fewest)
    names = _confidential(plan, block)
    alike = (yield from alike_in(pages, names, labels.moved, _group_of(centres))) if names else {}
    return _Centres(centres, means.behind, labels, alike)


def _refuse(plan: Plan, moments: Mapping[str, ExactMoments]) -> None:
    """Raise an error for what clusters of a whole file cannot do on a cluster."""
    method, name = plan.masking.method, plan.masking.method.name
    in_parts = f'Cluster it in parts ("{name}:part=5000"), or leave the engine out.'
    if plan.draws_per_variable:
        raise MethodError(f"per_variable is not for clusters of a whole file on a cluster. {in_parts}", method=name)
    if plan.edits and not plan.centres_keep_rules:
        raise MethodError(
            f"Clusters of a whole file on a cluster keep sums and bounds, and no other rules. {in_parts}", method=name
        )
    if any(moments[one].missing for one in plan.columns):
        raise MethodError(
            f'The method "{name}" clusters complete records; some here have missing values. Fill them, or use the '
            'method "mdav".',
            method=method.name,
        )
    if not plan.standardize and any(
        max(abs(moments[one].lowest), abs(moments[one].highest)) > _LARGEST for one in plan.columns
    ):
        raise DataError("Values beyond 1e100 have no distances as they are. Leave standardize on (the default).")


def _said(found: Sequence[Sequence[_Centres]]) -> Said:
    """Return what is said of all groups."""
    every = [one for own in found for one in own]
    sizes = [one.sizes[one.sizes > 0] for one in every]
    behind = min(float(one.behind[one.used].min()) for one in every)
    expected = min(float(one.draw.expected[one.used].min()) for one in every)
    alike: dict[str, int] = {}
    for own in found:
        for name in {name for one in own for name in one.alike}:
            alike[name] = max(alike.get(name, 0), sum(one.alike.get(name, 0) for one in own))
    tenths = math.floor(10 * expected + 1e-6) / 10  # never more than it is
    return Said(
        groups=[int(sum((one.sizes > 0).sum() for one in own)) for own in found],
        smallest=int(min(one.min() for one in sizes)),
        largest=int(max(one.max() for one in sizes)),
        support=math.floor(behind + 1e-9),
        alike={name: count for name, count in alike.items() if count},
        notes=[f"The smallest expected number of records of a centre is {tenths:.1f}."],
    )


def _group_of(centres: Doubles) -> Labels:
    """Return the group of every centre; those that came out the same are one."""
    return np.unique(centres, axis=0, return_inverse=True)[1].ravel()


def _varying(setting: RunSetting, block: Sequence[str]) -> list[str]:
    return [name for name in block if name in setting.scales]


def _scale(plan: Plan, setting: RunSetting, name: str) -> Scale:
    return setting.scales[name] if plan.standardize else _AS_IT_IS


def _units(plan: Plan, setting: RunSetting, varying: Sequence[str]) -> Doubles:
    """Return the standard deviation of every variable on the scale of the matrix."""
    if plan.standardize:
        return np.ones(len(varying))
    own = [setting.scales[name] for name in varying]
    return np.array([math.ldexp(scale.unit, scale.exponent) for scale in own])


def _confidential(plan: Plan, block: Sequence[str]) -> list[str]:
    elsewhere = set(plan.columns).difference(block)
    return [name for name, role in plan.roles.items() if role == "confidential" and name not in elsewhere]


_PageDraw = tuple[Doubles, Mapping[int, tuple[Labels, Labels]]]


def _for_page(one: _Centres, page: Page) -> _PageDraw:
    moved = one.draw.moved.get(page.number)
    return one.centres, {} if moved is None else {page.number: moved}


def _release(item: tuple[Page, Sequence[_PageDraw], Said], setting: RunSetting, leaving: Leaving) -> int:
    """Release one page."""
    page, draws, said = item

    def protected(work: Work) -> list[ProtectedBlock]:
        return [
            _protected_block(work, replace(page, block=number), block, *draw, setting)
            for number, (block, draw) in enumerate(zip(work.plan.blocks, draws, strict=True))
        ]

    return release_page(page, protected, said, setting, leaving)


def _protected_block(
    work: Work,
    page: Page,
    block: Sequence[str],
    centres: Doubles,
    moved: Mapping[int, tuple[Labels, Labels]],
    setting: RunSetting,
) -> ProtectedBlock:
    plan = work.plan
    labels, varying = labels_of(page, moved), _varying(setting, block)
    computed = {name: work.values[page.block][name].copy() for name in block}
    for place, name in enumerate(varying):
        computed[name] = _scale(plan, setting, name).undo(centres[labels, place])
    rules = [rule for rule in plan.edits if set(rule.variables) <= set(block)]
    computed = to_last_digit(computed, [atom for rule in rules for atom in rule.sums], varying)
    groups = np.unique(labels, return_inverse=True)[1].ravel()
    partition = Partition(groups, tuple(block))
    return ProtectedBlock(
        matrix=work.matrices[page.block],
        partition=partition,
        computed=computed,
        taken={},
        joined={},
        smallest_support=partition.k,
        steps=[],
    )
