"""The matrices by which PRAM drew categories, with which estimates from the release can be corrected."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from shoal.describe.strata import strata_of
from shoal.describe.variables import codes
from shoal.flow.chain.whole_chain import steps_of
from shoal.flow.plan import Plan
from shoal.read import Table
from shoal.replace.perturb.pram import PRAM
from shoal.report.facts.keys.key_facts import TransitionFacts

__all__ = ["transition_facts"]

_MOST_CATEGORIES = 60
_MOST_STRATA = 40


def transition_facts(plan: Plan, original: Table) -> list[TransitionFacts]:
    """Return the matrix of every variable that PRAM drew anew, in each stratum.

    Left out are variables that another step of a chain changes too, whose matrix the original does not show, and those
    of more than 60 categories or more than 40 strata, whose matrices nobody reads: `PRAM.transition` computes them.

    Parameters
    ----------
    plan
        How the file was masked.
    original
        The original as it was recoded.
    """
    found: list[TransitionFacts] = []
    steps = steps_of(plan)
    for step in steps:
        others = {name for one in steps if one is not step for name in (*one.protected, *one.recodes)}
        for name in step.rewritten:
            replacement = step.replacements.get(name)
            if isinstance(replacement, PRAM) and name in original and name not in others:
                found += _of_column(step, name, replacement, original)
    return found


def _of_column(plan: Plan, name: str, replacement: PRAM, table: Table) -> Iterator[TransitionFacts]:
    strata = strata_of(table, plan.strata)
    numbered = codes(table, name)
    observed = np.flatnonzero(numbered >= 0)
    present, first = np.unique(numbered[observed], return_index=True)
    if not len(present) or len(present) > _MOST_CATEGORIES or len(strata) > _MOST_STRATA:
        return
    labels = table.cells(name)[observed[first]].tolist()
    own = replacement.for_labels(labels)
    # As the replacement sees them: it numbers categories 0, 1, ... itself where its matrix names them.
    places = np.where(numbered < 0, -1, np.searchsorted(present, numbered)) if replacement.categories else numbered
    weights = None if plan.weights is None else table.numbers(plan.weights)
    for stratum in range(len(strata)):
        rows = np.flatnonzero(strata.codes == stratum)
        matrix = own.transition(places[rows], None if weights is None else weights[rows], kind=plan.kinds[name])
        here = np.unique(numbered[rows][numbered[rows] >= 0])
        yield TransitionFacts(
            column=name,
            stratum=[_text(table, column, rows) for column in plan.strata],
            categories=[_shown(labels[place]) for place in np.searchsorted(present, here)],
            matrix=matrix.tolist(),
        )


def _text(table: Table, name: str, rows: NDArray[np.intp]) -> str:
    cell = table.cells(name)[rows[0]]
    return "missing" if table.missing(name)[rows[0]] else _shown(cell)


def _shown(cell: object) -> str:
    return f"{cell:.12g}" if isinstance(cell, float) else str(cell)
