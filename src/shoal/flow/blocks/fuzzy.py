"""One block of variables protected by fuzzy clusters: centres, then a centre drawn for every record by membership."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from shoal import progress
from shoal.describe.standardize import Scale, standard_scale
from shoal.edits.atoms import Linear
from shoal.edits.keep.last_digit import to_last_digit
from shoal.errors import DataError, DisclosureWarning, MethodError, warn
from shoal.flow.blocks.work import ProtectedBlock, Work, fallback_notes
from shoal.flow.rules.kept_centres import KeptCentres
from shoal.flow.rules.kept_rules import split_by_rules
from shoal.partition import Partition
from shoal.partition.fuzzy.projection import feasible_set
from shoal.partition.fuzzy.soft_method import DrawnMethod, FlatClusters, NestedClusters
from shoal.replace import MembershipDraw
from shoal.replace.membership_draw import Averages, averages, group_averages, merged
from shoal.replace.soft_groups import UNCHANGED, Chances, by_distance, by_membership, soft_groups

if TYPE_CHECKING:
    from shoal.flow.plan import Plan

__all__ = ["constraints_of", "protect_fuzzy_block", "warn_of_draw"]

Doubles = NDArray[np.float64]

_AS_IT_IS = Scale(0.0, 1.0, 0)
_LARGEST = 1e100  # squares of larger numbers, and sums of them, leave floating point


def protect_fuzzy_block(work: Work, number: int, block: Sequence[str]) -> ProtectedBlock:
    """Cluster every stratum and give its records centres drawn by membership, so that rules hold."""
    plan, table = work.plan, work.table
    method, draw = cast(DrawnMethod, plan.masking.method), plan.replacements[block[0]]
    assert isinstance(draw, MembershipDraw)
    values, matrix = work.values[number], work.matrices[number]
    if np.abs(matrix.values).max() > _LARGEST:
        raise DataError("Values beyond 1e100 have no distances as they are. Leave standardize on (the default).")
    if not matrix.complete:
        raise MethodError(
            f'The method "{method.name}" clusters complete records; some here have missing values. Fill them, or use '
            'the method "mdav".',
            method=method.name,
        )
    varying = [name for name in block if name not in matrix.constant]
    scales = [standard_scale(values[name]) if plan.standardize else _AS_IT_IS for name in varying]
    kept = _kept_centres(work, number, scales)
    codes = work.strata.codes if kept is None else kept.cells.codes
    rules = [rule for rule in plan.edits if set(rule.variables) <= set(block)]  # others: other blocks'
    atoms = [atom for rule in rules for atom in rule.sums] if plan.centres_keep_rules else []
    constraints = constraints_of(atoms, values, varying, scales)
    fewest, sizes = draw.fewest(plan.k), np.bincount(work.strata.codes)
    unit = np.ones(matrix.values.shape[1]) if plan.standardize else matrix.values.std(axis=0, ddof=1)
    released = np.empty_like(matrix.values)
    labels = np.empty(len(table), dtype=np.int64)
    computed = {name: values[name].copy() for name in block}
    groups, behind, expected, left = 0, math.inf, math.inf, 0.0
    for stratum in range(int(codes.max()) + 1):
        of_stratum = np.flatnonzero(codes == stratum)
        for place, part in enumerate(method.parts(matrix.values[of_stratum])):
            rows = of_stratum[part]
            rng = np.random.default_rng([plan.seed, number, stratum, place])
            with progress.step(len(rows) / len(table)):
                share = len(rows) / sizes[work.strata.codes[rows[0]]]
                X = matrix.values[rows]
                clusters = method.clusters_to_draw(X, draw.fuzziness(method), share, **constraints)
                averaged = _averaged(X, clusters, fewest)
                columns: dict[str, Doubles] = {}
                if kept is None:
                    centres = _onto(constraints, averaged.means)
                else:
                    centres, columns = kept.kept(stratum, rows, averaged.means)
                chances, homes = _chances(X, clusters, centres, averaged)
                drawn = partial(soft_groups, homes=homes, unit=unit if fewest else None, rounded=kept is not None)
                found = [
                    drawn(X, centres, averaged.behind, chances, fewest, rng)
                    for _ in range(X.shape[1] if draw.per_variable else 1)
                ]
            for name, of_centres in columns.items():
                computed[name][rows] = of_centres[found[0].places[found[0].labels]]
            for column in range(released.shape[1]):
                one = found[column if draw.per_variable else 0]
                released[rows, column] = one.centres[one.labels, column]
            # Centres that came out the same are one group.
            labels[rows] = np.unique(released[rows], axis=0, return_inverse=True)[1].ravel() + groups
            groups = int(labels[rows].max()) + 1
            behind = min(behind, *(float(one.behind.min()) for one in found))
            expected = min(expected, *(float(one.expected.min()) for one in found))
            left += len(rows) * clusters.fallback_share
    same = int((np.abs(matrix.values - released) <= UNCHANGED * unit).all(axis=1).sum())
    warn_of_draw(plan, draw, same, np.bincount(labels))
    if kept is None:
        for place, (name, scale) in enumerate(zip(varying, scales, strict=True)):
            computed[name] = scale.undo(released[:, place])
        computed = to_last_digit(computed, atoms, varying)
    return ProtectedBlock(
        matrix=matrix,
        partition=Partition(labels, tuple(block)),
        computed=computed,
        taken={},
        joined={},
        smallest_support=math.floor(behind + 1e-9),
        smallest_expected=expected,
        steps=[],
        notes=fallback_notes(method.fallback, left / len(table)),
    )


def _kept_centres(work: Work, number: int, scales: Sequence[Scale]) -> KeptCentres | None:
    """Return what moves centres to where rules of all kinds hold; None where there are sums and bounds alone."""
    plan, edits = work.plan, work.edits[number] if work.edits else None
    if edits is None or not edits.demands:
        return None
    values, matrix = work.values[number], work.matrices[number]
    cells = split_by_rules(plan, work.table, edits, matrix, work.strata)
    return KeptCentres(edits, cells, values, matrix, scales, plan.k, plan.repair)


def _averaged(X: Doubles, clusters: FlatClusters | NestedClusters, fewest: int) -> Averages:
    """Return the centres of the clusters of one part, each the average of enough records."""
    found = merged(_averages(X, clusters), fewest)
    if fewest and found.behind.min() < fewest:
        raise DataError(
            f"No centre averages {fewest} records, because too few of them differ or too few count in any. Make the "
            'clusters less fuzzy or fewer, or use the method "mdav".'
        )
    return found


def _onto(constraints: Mapping[str, Any], means: Doubles) -> Doubles:
    """Return the points nearest to the means that keep sums and bounds."""
    allowed = feasible_set(means.shape[1], constraints.get("constraints"), constraints.get("inequalities"), None)
    return means if allowed is None else allowed.project(means)


def _averages(X: Doubles, clusters: FlatClusters | NestedClusters) -> Averages:
    """Return the centres: averages by membership, or the means of groups where there are any."""
    if isinstance(clusters, NestedClusters):
        return group_averages(X, clusters.labels)
    return averages(X, clusters.memberships_of, clusters.power)


def _chances(
    X: Doubles, clusters: FlatClusters | NestedClusters, centres: Doubles, found: Averages
) -> tuple[Chances, NDArray[np.int64] | None]:
    """Return the probabilities of the draw, and the centres that records can return to, if they have any."""
    if isinstance(clusters, NestedClusters):
        return by_membership(clusters.memberships, found.centre_of), found.centre_of[clusters.labels]
    return by_distance(X, centres, clusters.rule), None


def constraints_of(
    rules: Sequence[Linear], values: Mapping[str, Doubles], varying: Sequence[str], scales: Sequence[Scale]
) -> dict[str, tuple[Doubles, Doubles]]:
    """Return the rules on this block in the units of its matrix, as the estimators take them."""
    rows: dict[str, list[tuple[Doubles, float]]] = {"==": [], "<=": []}
    for rule in rules:
        constant = rule.constant
        row = np.zeros(len(varying))
        for name, factor in rule.coefficients.items():
            if name in varying:
                scale = scales[varying.index(name)]
                row[varying.index(name)] = factor * math.ldexp(scale.unit, scale.exponent)
                constant -= factor * math.ldexp(scale.centre, scale.exponent)
            else:
                constant -= factor * float(values[name][0])
        size = float(np.abs(row).max(initial=0.0))
        if size == 0:
            continue  # all its variables are constant
        rows["==" if rule.relation == "==" else "<="].append((row / size, constant / size))  # "<": settled later
    named = {"==": "constraints", "<=": "inequalities"}
    return {
        named[relation]: (np.array([row for row, _ in found]), np.array([constant for _, constant in found]))
        for relation, found in rows.items()
        if found
    }


def warn_of_draw(plan: Plan, draw: MembershipDraw, same: int, sizes: NDArray[np.int64]) -> None:
    """Say what the algorithm as published lets through: so many records as they were, groups of these sizes."""
    if draw.per_variable:
        warn(
            "Each variable is drawn for itself (per_variable): k holds for every variable, not for whole records, and "
            "rules between variables do not hold.",
            DisclosureWarning,
        )
    if not draw.fewest(plan.k):
        few = int((sizes < plan.k).sum())
        warn(
            f"at_least=None releases centres regardless of how many records support them: {same} records come out "
            f"unchanged, and {few} of {len(sizes)} centres are shared by fewer than k={plan.k} records.",
            DisclosureWarning,
        )
