"""The best partition that some groups make up, by the integer program over them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.partition.bounds.group_pool import GroupPool
from shoal.partition.bounds.master import new_program, solve, work_of
from shoal.partition.bounds.time_left import TimeLeft

__all__ = ["IntegerSolution", "best_of"]

_CLOSED = 1e-9  # relative


@dataclass(frozen=True)
class IntegerSolution:
    """What the integer program found.

    Attributes
    ----------
    groups
        Numbers of the groups of the best partition found.
    bound
        A lower bound on the squared error of every partition that the groups make up.
    work
        How much work it was, in steps of the local search that take about as long.
    """

    groups: NDArray[np.int64]
    bound: float
    work: float = 0.0


def best_of(
    pool: GroupPool,
    numbers: NDArray[np.int64],
    start: NDArray[np.int64],
    triples: NDArray[np.int64],
    most_nodes: int,
    time_left: TimeLeft,
) -> IntegerSolution:
    """Find the best partition of the records of some groups, made of these groups and others.

    Parameters
    ----------
    pool
        Where groups come from.
    numbers
        The groups that may be used.
    start
        The groups of a partition to start from, which says what the records are.
    triples
        Cuts, which every partition keeps: they make the program quicker.
    most_nodes
        How many branches to follow at most.
    time_left
        How long it may take.
    """
    import highspy

    numbers = np.unique(np.concatenate([numbers, start]))
    records = np.sort(pool.members[start], axis=None).astype(np.int64)
    records = records[records >= 0]
    n = len(records)
    index, starts = pool.entries(numbers, records, triples)
    count = len(numbers)
    program = new_program()
    none = np.array([], dtype=np.int32)
    lower = np.concatenate([np.ones(n), np.full(len(triples), -np.inf)])
    program.addRows(n + len(triples), lower, np.ones(n + len(triples)), 0, none, none, np.array([]))
    program.addCols(
        count, pool.errors[numbers], np.zeros(count), np.ones(count), len(index),
        starts, index, np.ones(len(index)),
    )  # fmt: skip
    columns = np.arange(count, dtype=np.int32)
    program.changeColsIntegrality(count, columns, np.array([highspy.HighsVarType.kInteger] * count))
    program.setOptionValue("mip_max_nodes", most_nodes)
    program.setOptionValue("mip_rel_gap", _CLOSED)
    first = highspy.HighsSolution()
    first.col_value = np.isin(numbers, start).astype(float).tolist()
    program.setSolution(first)
    solve(program, time_left)
    values = np.array(program.getSolution().col_value)
    return IntegerSolution(numbers[values > 0.5], float(program.getInfo().mip_dual_bound), work_of(program))
