"""How distances become memberships: one class per rule, applied block by block.

Everything is in terms of distances relative to the nearest centre, (D_min / D)^p, which neither over- nor underflow
where it matters. Array layer only.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from array_api_compat import device

from shoal.partition.fuzzy.centred_records import RecordBlock
from shoal.partition.geometry.array_arithmetic import Array

__all__ = [
    "CentreWeights",
    "Crisp",
    "Entropic",
    "Fuzzy",
    "MembershipRule",
    "Noisy",
    "Possibilistic",
    "Typicality",
    "c_means_rule",
]

# An exponent up to this that is whole, as for m = 1.1, 1.2, 1.25, 1.5 and 2, is taken by multiplying.
_LARGEST_WHOLE = 16


class CentreWeights(NamedTuple):
    """The weights that centres are averaged with: for centre i and record k, ``factors[k] * matrix[k, i]``."""

    matrix: Array  # r x c
    factors: Array  # r
    objective: Array  # the part of the block, one number


class MembershipRule:
    """Base of the rules by which distances become memberships. A method may overwrite the distances of its block."""

    matrices: ClassVar[int] = 4  # of the size of a block, its distances included, that are in use at one time

    @property
    def power_of_weights(self) -> float:
        """The power of memberships that centres are averaged with."""
        return 1.0

    def weigh(self, block: RecordBlock) -> CentreWeights:
        """Return the weights that the new centres are means with."""
        raise NotImplementedError

    def log_weights(self, block: RecordBlock, centres: Array) -> Array:
        """Return the logarithms of the weights for a few centres, those whose weights are too small for numbers."""
        raise NotImplementedError

    def memberships(self, block: RecordBlock) -> Array:
        """Return the memberships; the rows sum to one unless the rule says otherwise."""
        raise NotImplementedError


class _Shares(NamedTuple):
    """Memberships before they are divided by their total, (reference / D)^p."""

    shares: Array  # r x c
    ratios: Array  # r x c, reference / D; may be the same array as the shares
    reference: Array  # r, the least distance
    total: Array  # r, of the shares, noise included
    noise: Array | None  # r, the share of noise
    coinciding: Array | None  # the rows of records that lie on centres, and
    is_on: Array | None  # on which


@dataclass(frozen=True)
class Fuzzy(MembershipRule):
    """Fuzzy c-means: u proportional to D^(-1/(m-1)), weights u^m.

    With p = 1/(m-1), R = D_min/D and S the sum of R^p over the centres, u = R^p / S. As m p = p + 1, the weights are
    R^p R S^-m, and a record adds D_min S^(1-m) to the objective: neither needs another logarithm. A record that
    lies on centres belongs to these, equally.
    """

    m: float

    @property
    def power(self) -> float:
        """The exponent p of the ratios of distances, 1/(m-1)."""
        return 1 / (self.m - 1)

    @property
    def power_of_weights(self) -> float:
        """The exponent m."""
        return self.m

    @property
    def noise_distance(self) -> float | None:
        """The squared distance of noise to every record, if there is noise."""
        return None

    def weigh(self, block: RecordBlock) -> CentreWeights:
        """Return the weights that the new centres are means with."""
        xp = block.xp
        part = self._share(block)
        logarithms = block.arithmetic.log(part.total)
        weights = part.ratios
        weights *= part.shares
        objective = xp.sum(part.reference * block.arithmetic.exp((1 - self.m) * logarithms), dtype=xp.float64)
        return CentreWeights(weights, block.arithmetic.exp(-self.m * logarithms), objective)

    def log_weights(self, block: RecordBlock, centres: Array) -> Array:
        """Return the logarithms of the weights for a few centres."""
        xp = block.xp
        part = self._share(block)
        ratios = xp.clip(part.ratios[:, centres], float(xp.finfo(part.ratios.dtype).smallest_normal), None)
        result = (1 + self.power) * block.arithmetic.log(ratios)
        if part.coinciding is not None and part.is_on is not None:
            on = xp.zeros_like(result[part.coinciding, :])
            on[~part.is_on[:, centres]] = -math.inf
            result[part.coinciding, :] = on
        result -= self.m * block.arithmetic.log(part.total)[:, None]
        return result

    def memberships(self, block: RecordBlock) -> Array:
        """Return the memberships; noise, if there is, has the last column."""
        part = self._share(block)
        shares = part.shares
        shares /= part.total[:, None]
        if part.noise is None:
            return shares
        return block.xp.concat([shares, (part.noise / part.total)[:, None]], axis=1)

    def _share(self, block: RecordBlock) -> _Shares:
        xp, distances, nearest = block.xp, block.distances, block.nearest
        far = self.noise_distance
        reference = nearest if far is None else xp.clip(nearest, None, far)
        numerator = reference
        coinciding = is_on = None
        if block.close is not None:
            coinciding = block.close[nearest[block.close] == 0]
            is_on = distances[coinciding, :] == 0
            distances[coinciding, :] = 1.0
            numerator = xp.where(nearest == 0, xp.ones_like(nearest), reference)
        ratios = numerator[:, None] / distances
        shares = _raised(block, ratios, self.power)
        if coinciding is not None and is_on is not None:
            shares[coinciding, :] = xp.astype(is_on, shares.dtype)
        total = block.arithmetic.row_totals(shares)
        noise = None
        if far is not None:
            noise = _raised(block, xp.clip(numerator / far, None, 1.0), self.power)
            noise = xp.where(nearest == 0, xp.zeros_like(noise), noise)
            total = total + noise
        return _Shares(shares, ratios, reference, total, noise, coinciding, is_on)


@dataclass(frozen=True)
class Noisy(Fuzzy):
    """Fuzzy c-means with one more cluster, noise, as far from every record as from any other.

    `delta` is that distance. None stands for Davé's rule: delta^2 is `lam` times the mean squared distance of records
    to centres.
    """

    delta: float | None = None
    lam: float = 0.1

    @property
    def noise_distance(self) -> float | None:
        """The squared distance of noise to every record."""
        return None if self.delta is None else self.delta**2


@dataclass(frozen=True)
class Possibilistic(Fuzzy):
    """Fuzzy possibilistic c-means: beside the memberships, typicalities that sum to one over the records.

    The typicalities of a centre are what the memberships of a record are, with eta for m and records for centres.
    """

    eta: float = 2.0

    matrices: ClassVar[int] = 8

    @property
    def typicality_power(self) -> float:
        """The exponent of the distances, 1/(eta-1)."""
        return 1 / (self.eta - 1)

    def typify(self, block: RecordBlock, least: Array) -> tuple[Array, Array]:
        """Return (least / D)^(1/(eta-1)), and that to the power eta; `least` has each centre's least distance."""
        xp, distances = block.xp, block.distances
        is_met = least == 0
        any_met = bool(xp.any(is_met))
        is_on = None
        if any_met:
            is_on = xp.astype(distances == 0, distances.dtype)  # only these records are typical of such a centre
            distances = xp.where(is_met, xp.ones_like(distances), distances)
            least = xp.where(is_met, xp.ones_like(least), least)
        ratios = least / distances
        shares = _raised(block, ratios, self.typicality_power)
        weights = ratios * shares
        if any_met:
            return xp.where(is_met, is_on, shares), xp.where(is_met, is_on, weights)
        return shares, weights


@dataclass(frozen=True)
class Typicality(MembershipRule):
    """Possibilistic c-means: t = 1 / (1 + (D / eta)^(1/(m-1))), with one eta for each centre, weights t^m.

    With z = ln(D / eta) / (m-1) and s = ln(1 + e^z), t is e^-s and 1 - t is e^(z-s). As t is the best for the centre,
    t^m D + eta (1 - t)^m, which a record adds to the objective, is eta (1 - t)^(m-1). The rows do not sum to one.
    """

    m: float
    eta: tuple[float, ...]

    matrices: ClassVar[int] = 6

    def weigh(self, block: RecordBlock) -> CentreWeights:
        """Return the weights that the new centres are means with."""
        xp, exp = block.xp, block.arithmetic.exp
        exponents, logarithms = self._exponents(block)
        left = exp((1 - self.m) * (logarithms - exponents))
        objective = xp.sum(left * self._etas(block), dtype=xp.float64)
        return CentreWeights(exp(-self.m * logarithms), xp.ones_like(block.nearest), objective)

    def log_weights(self, block: RecordBlock, centres: Array) -> Array:
        """Return the logarithms of the weights for a few centres."""
        return -self.m * self._exponents(block)[1][:, centres]

    def memberships(self, block: RecordBlock) -> Array:
        """Return the typicalities."""
        return block.arithmetic.exp(-self._exponents(block)[1])

    def _etas(self, block: RecordBlock) -> Array:
        distances = block.distances
        return block.xp.asarray(self.eta, dtype=distances.dtype, device=device(distances))

    def _exponents(self, block: RecordBlock) -> tuple[Array, Array]:
        """Return z and s, for every record and centre."""
        xp, distances = block.xp, block.distances
        exp, log = block.arithmetic.exp, block.arithmetic.log
        is_on = distances == 0
        z = (log(xp.where(is_on, xp.ones_like(distances), distances)) - log(self._etas(block))) / (self.m - 1)
        z[is_on] = -math.inf
        return z, xp.clip(z, 0.0, None) + log(1 + exp(-xp.abs(z)))


@dataclass(frozen=True)
class Entropic(MembershipRule):
    """Fuzzy c-means regularised by entropy: u proportional to exp(-lam D), weights u.

    With T = exp(-lam (D - D_min)) and S the sum of T over the centres, u = T / S and a record adds
    D_min - ln(S) / lam to the objective.
    """

    lam: float

    def weigh(self, block: RecordBlock) -> CentreWeights:
        """Return the weights that the new centres are means with."""
        xp = block.xp
        shares, total = self._share(block)
        objective = xp.sum(block.nearest - block.arithmetic.log(total) / self.lam, dtype=xp.float64)
        return CentreWeights(shares, 1 / total, objective)

    def log_weights(self, block: RecordBlock, centres: Array) -> Array:
        """Return the logarithms of the weights for a few centres."""
        exponents = -self.lam * (block.distances[:, centres] - block.nearest[:, None])
        _, total = self._share(block)
        return exponents - block.arithmetic.log(total)[:, None]

    def memberships(self, block: RecordBlock) -> Array:
        """Return the memberships; the rows sum to one."""
        shares, total = self._share(block)
        shares /= total[:, None]
        return shares

    def _share(self, block: RecordBlock) -> tuple[Array, Array]:
        exponents = block.distances
        exponents -= block.nearest[:, None]
        exponents *= -self.lam
        shares = block.arithmetic.exp(exponents)
        return shares, block.arithmetic.row_totals(shares)


@dataclass(frozen=True)
class Crisp(MembershipRule):
    """c-means: a record belongs to its nearest centre, of several equally near to the first."""

    def weigh(self, block: RecordBlock) -> CentreWeights:
        """Return the weights that the new centres are means with."""
        ones = block.xp.ones_like(block.nearest)
        objective = block.xp.sum(block.nearest, dtype=block.xp.float64)
        return CentreWeights(self.memberships(block), ones, objective)

    def memberships(self, block: RecordBlock) -> Array:
        """Return one for the centre a record belongs to, zero for the others."""
        xp = block.xp
        first = xp.argmin(block.distances, axis=1)
        numbers = xp.arange(block.distances.shape[1], device=device(first))
        return xp.astype(first[:, None] == numbers, block.distances.dtype)


def c_means_rule(m: float) -> MembershipRule:
    """Return the rule of fuzzy c-means with the exponent m, or that of c-means, which is its limit, if m is 1."""
    return Fuzzy(m) if m > 1 else Crisp()


def _raised(block: RecordBlock, base: Array, power: float) -> Array:
    """Return the base, from 0 to 1, to a positive power; the base itself if the power is one."""
    whole = round(power)
    if abs(power - whole) > 1e-9 or not 1 <= whole <= _LARGEST_WHOLE:
        return block.arithmetic.raised(base, power)
    result = None
    while True:
        if whole & 1:
            result = base if result is None else result * base
        whole >>= 1
        if not whole:
            return result
        base = base * base
