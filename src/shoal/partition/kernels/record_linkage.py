"""The search for records nearer than the true one, through all records, block by block.

Distances are summed in the order of the columns, so that they are the same to the last bit as elsewhere.
"""

from __future__ import annotations

import numpy as np

from shoal.partition.kernels.compiled import Doubles, Integers, Scalar, inner_kernel, kernel

LINKAGE_BLOCK = 128  # records side by side: a block of 30 columns stays in the cache


@inner_kernel
def _block_distances(x: Doubles, block: Doubles, numbers: Scalar, out: Doubles) -> None:
    """Write the squared distances of all records of a block; categories that differ add 2."""
    d = x.shape[0]
    for t in range(LINKAGE_BLOCK):
        out[t] = 0.0
    for j in range(0, numbers - 1, 2):  # two columns at a time: the sums are read and written half as often
        for t in range(LINKAGE_BLOCK):
            y, z = block[j, t] - x[j], block[j + 1, t] - x[j + 1]
            out[t] = (out[t] + y * y) + z * z
    if numbers % 2 == 1:
        for t in range(LINKAGE_BLOCK):
            z = block[numbers - 1, t] - x[numbers - 1]
            out[t] += z * z
    for j in range(numbers, d):
        for t in range(LINKAGE_BLOCK):
            out[t] += 2.0 * (block[j, t] != x[j])


@kernel
def count_ties(
    sought: Doubles,
    to_true: Doubles,
    numbers: Scalar,
    blocks: Doubles,
    counts: Integers,
    relative: Scalar,
    absolute: Scalar,
    out: Integers,
) -> None:
    """Write, for every record sought, how many records are nearest with the true one, 0 if another is nearer.

    `blocks` has the distinct records, blocks x columns x LINKAGE_BLOCK, and `counts` how often each occurs; places
    that are left over hold any record, counted 0 times. `to_true` has the squared distances to the true records.
    """
    n = sought.shape[0]
    least = to_true.copy()
    distances = np.empty(LINKAGE_BLOCK)
    out[:] = 1
    for block in range(blocks.shape[0]):
        for i in range(n):
            if out[i] > 0:
                _block_distances(sought[i], blocks[block], numbers, distances)
                for t in range(LINKAGE_BLOCK):
                    least[i] = min(least[i], distances[t])
                if to_true[i] > least[i] * relative + absolute:
                    out[i] = 0
    for i in range(n):
        if out[i] > 0:
            out[i] = 0
            reach = least[i] * relative + absolute
            for block in range(blocks.shape[0]):
                _block_distances(sought[i], blocks[block], numbers, distances)
                for t in range(LINKAGE_BLOCK):
                    if distances[t] <= reach:
                        out[i] += counts[block, t]
