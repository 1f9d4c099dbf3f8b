"""Synthetic data of a whole file: the confidential variables of every stratum rewritten, the others as they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import reduce
from operator import add
from typing import Any

import numpy as np

from shoal.errors import DataError, MethodError
from shoal.flow.blocks.work import ProtectedBlock, Work
from shoal.flow.plan import Plan
from shoal.partition import Partition
from shoal.replace import IPSO, FuzzyRegression, SyntheticReplacement
from shoal.replace.synthetic.synthetic import Tally, added_up
from shoal.scale.iterated.numbers import Indicators, PageColumns, count_categories, indicators_of, write_numbers
from shoal.scale.iterated.passes import Page, Pass, Passes, in_step, loaded
from shoal.scale.iterated.releasing import PagedRun, Said, release_page
from shoal.scale.iterated.rewritten.ipso import rewritten_by_ipso
from shoal.scale.iterated.rewritten.regression import rewritten_by_models
from shoal.scale.iterated.rewritten.variables import Kept, Layout
from shoal.scale.random_order import Leaving
from shoal.scale.setting import RunSetting

__all__ = ["is_rewritten_whole", "protect_by_rewriting"]


def is_rewritten_whole(plan: Plan) -> bool:
    """Whether the confidential variables of the whole file are rewritten at once, by a method that can do it here."""
    return plan.masking.is_whole_file and isinstance(plan.masking.replacement, IPSO | FuzzyRegression)


def protect_by_rewriting(run: PagedRun) -> None:
    """Rewrite every block of variables in every stratum, and release the pages that are waiting."""
    plan, setting, pages = run.setting.plan, run.setting, run.pages
    _refuse(plan, setting)
    notes: list[str] = []
    accepted = bool(getattr(plan.masking.replacement, "accept_unchanged", False))
    for number, block in enumerate(plan.blocks):
        if not _rewritten(plan, block):
            continue
        jobs = [_rewrite(these, setting, number, stratum) for stratum, these in enumerate(run.strata(number))]
        found = in_step(run.tasks, jobs)
        tallies = [tally for own_tallies, _ in found for tally in own_tallies]
        kept = reduce(add, (one for _, one in found))
        before = f"Block {number + 1}: " * (len(plan.blocks) > 1)
        notes += [before + note for note in (*added_up(tallies), *kept.notes(_rewritten(plan, block), accepted))]
    sizes = np.bincount([page.stratum for page in pages], weights=[page.records for page in pages]).astype(np.int64)
    said = Said(
        groups=[len(sizes)] * len(plan.blocks),
        smallest=int(sizes.min()),
        largest=int(sizes.max()),
        support=int(sizes.min()),
        alike={},
        notes=[*notes, *_remarks(plan)],
    )
    ranges = {name: (run.moments[name].lowest, run.moments[name].highest) for name in plan.confidential}
    run.tasks(_release, [(page, said, ranges) for page in run.waiting], setting, run.leaving)


def _rewritten(plan: Plan, block: Sequence[str]) -> list[str]:
    return [name for name in plan.confidential if name in block]


def _remarks(plan: Plan) -> list[str]:
    replacement = plan.masking.replacement
    assert isinstance(replacement, SyntheticReplacement)
    every = np.ones(len(plan.confidential), dtype=bool)
    return replacement.remarks(in_groups=False, is_rewritten=every)


def _refuse(plan: Plan, setting: RunSetting) -> None:
    """Raise an error for what is not rewritten on a cluster."""
    problem = ""
    categories = [name for name in plan.confidential if plan.kinds[name] != "continuous"]
    if categories:
        problem = f'Categories such as "{categories[0]}" are not dealt anew'
    elif plan.edits:
        problem = "Rules are not kept in synthetic data"
    elif plan.bounds:
        problem = "bounds is not kept"
    if problem:
        raise MethodError(
            f"{problem} on a cluster, where the whole file is rewritten. Leave it or the engine out.",
            method=plan.masking.method.name,
        )
    for name in plan.confidential:
        if name not in setting.scales:
            raise DataError(f'All values of "{name}" are the same: there is nothing to rewrite. Leave it out.')


def _rewrite(pages: Sequence[Page], setting: RunSetting, number: int, stratum: int) -> Passes[tuple[list[Tally], Kept]]:
    """Rewrite the confidential variables of one stratum; return what a reader should know, and what was kept."""
    plan, block = setting.plan, setting.plan.blocks[number]
    names, replacement = _rewritten(plan, block), plan.masking.replacement
    others = [name for name in block if name not in names]
    indicators: list[Indicators] = []
    tallies: list[Tally] = []
    kept = [name for name in others if plan.kinds[name] != "continuous"]
    if kept:
        counted = yield Pass(pages, count_categories, (kept,))
        counts = {name: sum((one[name] for one in counted), Counter[Any]()) for name in kept}
        indicators = [indicators_of(name, counts[name], plan.k) for name in kept]
        tallies.append(_rare([count for own in counts.values() for count in own.values()], plan.k))
    numbers = [name for name in others if name not in kept and name in setting.scales]
    scaled = [(name, setting.scales[name]) for name in [*numbers, *names]]
    columns = PageColumns([*scaled, *((name, None) for name in names)], indicators)
    yield Pass(pages, write_numbers, (setting, columns))
    width = len(numbers) + sum(one.width for one in indicators)
    layout = Layout(width, [setting.scales[name] for name in names])
    if isinstance(replacement, IPSO):
        return tallies, (yield from rewritten_by_ipso(pages, layout, names, replacement, (plan.seed, number, stratum)))
    assert isinstance(replacement, FuzzyRegression)
    seed = int(np.random.default_rng([plan.seed, number, stratum]).integers(0, 2**32, size=1)[0])
    kept_values, converged = yield from rewritten_by_models(pages, layout, replacement, seed)
    restless = Tally(
        f"The memberships had not come to rest (not converged) after max_iter={replacement.max_iter} "
        "in {count} of {of} groups.",
        int(not converged),
        1,
        if_none="The memberships came to rest (converged).",
    )
    return [restless, *tallies], kept_values


def _rare(counts: Sequence[int], k: int) -> Tally:
    """Return how many kept categories are too rare for an indicator of their own, as a note."""
    return Tally(
        f"Kept categories of fewer than k={k} records: {{count}} of {{of}}. In the regression those of a variable "
        "count as one, and means by them are not exact.",
        sum(count < k for count in counts),
        len(counts),
    )


def _release(item: tuple[Page, Said, Mapping[str, tuple[float, float]]], setting: RunSetting, leaving: Leaving) -> int:
    """Release one page."""
    page, said, ranges = item

    def protected(work: Work) -> list[ProtectedBlock]:
        return [_protected_block(work, replace(page, block=number)) for number in range(len(work.plan.blocks))]

    return release_page(page, protected, said, setting, leaving, ranges)


def _protected_block(work: Work, page: Page) -> ProtectedBlock:
    block = work.plan.blocks[page.block]
    names = _rewritten(work.plan, block)
    new = loaded(page, "new") if names else np.empty((page.records, 0))
    return ProtectedBlock(
        matrix=work.matrices[page.block],
        partition=Partition(np.zeros(page.records, dtype=np.int64), tuple(block)),
        computed={name: new[:, place] for place, name in enumerate(names)},
        taken={},
        joined={},
        smallest_support=page.records,
        steps=[],
    )
