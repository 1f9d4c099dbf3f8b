"""Random numbers for kernels, from a state that the caller holds: the same on every machine and in every thread."""

from __future__ import annotations

import numpy as np

from shoal.partition.kernels.compiled import Scalar, inner_kernel

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)


@inner_kernel
def scrambled(number: Scalar) -> Scalar:
    """Turn neighbouring numbers into unrelated ones (the output of splitmix64)."""
    x = np.uint64(number) + _GOLDEN
    x = (x ^ (x >> np.uint64(30))) * _MIX_1
    x = (x ^ (x >> np.uint64(27))) * _MIX_2
    return x ^ (x >> np.uint64(31))


@inner_kernel
def state_of_step(seed: Scalar, step: Scalar) -> Scalar:
    """Return the state that the random numbers of a step start from; it is never zero."""
    return scrambled(scrambled(seed) + np.uint64(step)) | np.uint64(1)


@inner_kernel
def advanced(state: Scalar) -> Scalar:
    """Return the next state, which is also the next random number (xorshift64)."""
    state ^= state << np.uint64(13)
    state ^= state >> np.uint64(7)
    state ^= state << np.uint64(17)
    return state


@inner_kernel
def below(random: Scalar, limit: Scalar) -> Scalar:
    """Turn the upper half of a random number into a whole number from 0 to limit - 1."""
    return np.int64(((random >> np.uint64(32)) * np.uint64(limit)) >> np.uint64(32))


@inner_kernel
def below_by_lower_bits(random: Scalar, limit: Scalar) -> Scalar:
    """Turn other bits of the same random number into a whole number from 0 to limit - 1, for limits up to 1,000."""
    return np.int64(((random & np.uint64(0xFFFF)) * np.uint64(limit)) >> np.uint64(16))


@inner_kernel
def fraction(random: Scalar) -> Scalar:
    """Turn a random number into one between 0 and 1."""
    return np.float64(random >> np.uint64(11)) * 2.0**-53
