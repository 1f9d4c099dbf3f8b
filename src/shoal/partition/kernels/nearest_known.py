"""The nearest records on some columns, for several choices of columns at once.

Distances are summed in the order of the columns, first those before the column that is left out and then those after
it: records that are alike in the columns looked at are at the same distance to the last bit.
"""

from __future__ import annotations

import numpy as np

from shoal.partition.kernels.compiled import Doubles, Integers, Scalar, inner_kernel, kernel


@inner_kernel
def _write_sums(x: Doubles, y: Doubles, numbers: Scalar, before: Doubles, after: Doubles) -> None:
    """Write the squared distance in all columns before each, and in all columns from each on; a mismatch adds 2."""
    d = x.shape[0]
    after[d] = 0.0
    for j in range(d):
        apart = (x[j] - y[j]) * (x[j] - y[j]) if j < numbers else 2.0 * (x[j] != y[j])
        before[j + 1] = before[j] + apart
        after[j] = apart
    for j in range(d - 1, -1, -1):
        after[j] += after[j + 1]


@inner_kernel
def _least_possible(x: Doubles, y: Doubles, numbers: Scalar) -> Scalar:
    """Return a squared distance that no search can be below: without the column that differs most."""
    total, most = 0.0, 0.0
    for j in range(numbers):
        apart = (x[j] - y[j]) * (x[j] - y[j])
        total += apart
        most = max(most, apart)
    for j in range(numbers, x.shape[0]):
        total += 2.0 * (x[j] != y[j])
    return total * (1 - 1e-12) - max(most, 2.0)


@kernel
def write_nearest_known(
    sought: Doubles, searched: Doubles, own: Integers, numbers: Scalar, left_out: Integers, out: Integers
) -> None:
    """Write the places of the nearest records, nearest first, of equally near ones the first.

    `left_out` has, for every search, the column that is not looked at, or -1; `own` the place that is passed over for
    every record sought, or -1. The first `numbers` columns hold numbers, the others codes. `out` is of the records
    sought x searches x how many are wanted, which are fewer than there are.
    """
    d, searches, wanted = sought.shape[1], out.shape[1], out.shape[2]
    before, after = np.zeros(d + 1), np.zeros(d + 1)
    least = np.empty((searches, wanted))
    for i in range(sought.shape[0]):
        least[:] = np.inf
        farthest = np.inf  # of those found, over all searches
        for r in range(searched.shape[0]):
            if r == own[i] or _least_possible(sought[i], searched[r], numbers) >= farthest:
                continue
            _write_sums(sought[i], searched[r], numbers, before, after)
            for s in range(searches):
                j = left_out[s]
                distance = before[j] + after[j + 1] if j >= 0 else before[d]
                if distance < least[s, wanted - 1]:
                    place = wanted - 1
                    while place > 0 and distance < least[s, place - 1]:
                        least[s, place] = least[s, place - 1]
                        out[i, s, place] = out[i, s, place - 1]
                        place -= 1
                    least[s, place] = distance
                    out[i, s, place] = r
            farthest = least[:, wanted - 1].max()
