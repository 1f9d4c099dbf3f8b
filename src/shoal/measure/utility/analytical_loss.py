"""What users of a file lose who compute models, cross-tables and totals from the release."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.describe.standardize import standard_scale
from shoal.errors import ColumnError, DataError, NotApplicableError, nearest_name_hint
from shoal.measure.measure import About, MeasuredValue, file_measure
from shoal.measure.pairs import Pair
from shoal.measure.publication import Publication
from shoal.measure.risk.sample_size import sample_size
from shoal.measure.risk.standardized_records import varying_columns
from shoal.measure.utility.linear_models import LinearModel, linear_model, overlaps
from shoal.parameters.limits import OrNone, Whole
from shoal.parameters.of_columns import as_names

__all__ = ["analytical_loss"]

Doubles = NDArray[np.float64]
Codes = NDArray[np.int64]

_MOST_VARIABLES = 30  # evenly spaced
_MOST_TARGETS = 10
_MOST_LEVELS = 8  # categories of a variable with an indicator, the most frequent
_FEW = 10  # records: a category of fewer has no indicator, and no total
_BANDS = 5
_RECORDS_A_TERM = 10  # that a model with bands of numbers needs
_FARTHEST = 1e6  # standard deviations
_PREDICTABLE = 0.05  # of the variation has to be predictable from the original, or there is nothing to lose
_PARTS = ("models", "predictions", "tables", "totals")


@file_measure(
    About(
        name="analytical_loss",
        title="Loss for analyses",
        definition="What is lost for analyses, in per cent, the average of four parts. Models: each variable is "
        "regressed on the others in both files, categories as indicators; 100 less the mean overlap of the 95 % "
        "intervals of the coefficients. Predictions: the share of the predictable variation of the original that the "
        "models learned on the release do not predict. Tables: half the sum of the absolute differences of shares in "
        "the cross-tables of all pairs of variables, numbers in five bands. Totals: the differences of the totals of "
        "numbers by category (without categories, by band of another number) relative to the sum of absolute values. "
        "With sampling weights all are weighted.",
        reference="Karr, Kohnen, Oganian, Reiter and Sanil (2006), A framework for evaluating the utility of data "
        "altered to protect confidentiality, The American Statistician 60(3); the four parts and their average are "
        "shoal's",
        range=(0.0, 100.0),
        better="lower",
        side="utility",
        unit="%",
        counts="neither",
        slow=True,
        work=5,
        publication=Publication.OVER_PAIRS,
    ),
    takes=("weight", "seed"),
    limits={"sample": OrNone(Whole(1)), "seed": Whole(0)},
    unpublished_options=("targets",),
)
def analytical_loss(
    files: Pair,
    *,
    targets: str | Iterable[str] | None = None,
    weight: str | None = None,
    sample: int | None = 20_000,
    seed: int = 0,
) -> MeasuredValue:
    """Return the mean loss in per cent, with that of `.models`, `.predictions`, `.tables` and `.totals`.

    Parameters
    ----------
    files
        The two files. Of more than thirty variables that vary, thirty are taken, evenly spaced.
    targets
        The variables that models explain, among those compared; by default up to ten, evenly spaced.
    weight
        The column of sampling weights of the original, by which all is weighted.
    sample
        How many records are drawn, the same of both files, if there are more than 20,000; None for all.
    seed
        The seed of that sample.

    Returns
    -------
    MeasuredValue
        The average of the parts that apply; one that does not is None. `by_target` has for every model the mean
        `overlap` of its intervals in per cent, and the share of the original's variation that is predicted, learned
        on the `original` (each record from the others) and on the `release`. `variables` is how many were looked at,
        and `sampled` how many records, None if all were.

    Notes
    -----
    Models of a category are linear ones of its indicators: they have no search that might not end, and each record can
    be predicted from all others. A model counts in the predictions if it explains 5 % of the variation or more.
    Intervals become narrow with the number of records: in large files models show even small changes. Records with a
    missing value are left out of the models; in cross-tables, missing is a category.
    """
    names, explained = _variables(files, targets, weight)
    count = len(files.original)
    sampled = sample_size(count, sample)
    rows = np.arange(count)
    if sampled is not None:
        rows = np.sort(np.random.default_rng(seed).choice(count, sampled, replace=False))
    tables = _Tables(files.only(names), rows, _weights(files, weight, rows))
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]  # deferred: slow to import

    with threadpool_limits(1):
        by_target = {name: found for name in explained if (found := _model(tables, name)) is not None}
    lost = [
        100 * min(1.0, max(0.0, 1 - max(0.0, one["release"]) / one["original"]))
        for one in by_target.values()
        if one["original"] >= _PREDICTABLE
    ]
    parts = dict(
        zip(
            _PARTS,
            map(_mean, ([100 - one["overlap"] for one in by_target.values()], lost, _tables(tables), _totals(tables))),
            strict=True,
        )
    )
    value = _mean([part for part in parts.values() if part is not None])
    assert value is not None  # there is a table of one variable at least
    return MeasuredValue(value, **parts, by_target=by_target, variables=len(names), sampled=sampled)


@analytical_loss.check_first
def _variables(files: Pair, targets: Any, weight: str | None) -> tuple[list[str], list[str]]:
    """Return the variables that are looked at, and those that models explain; an error if there are none."""
    varying = [name for name in varying_columns(files) if name != weight]
    if not varying:
        raise NotApplicableError("This measure needs a variable that varies.")
    if targets is None:
        names = _evenly(varying, _MOST_VARIABLES)
        return names, _evenly(names, _MOST_TARGETS)
    explained = [str(name) for name in as_names(targets, "targets")]
    for name in explained:
        if name not in files.columns:
            hint = nearest_name_hint(name, files.columns)
            raise ColumnError(f'targets names "{name}", which is not among the columns compared.{hint}')
    others = [name for name in varying if name not in explained]
    explained = [name for name in explained if name in varying]
    return [*explained, *_evenly(others, max(1, _MOST_VARIABLES - len(explained)))], explained


def _evenly(names: Sequence[str], most: int) -> list[str]:
    count = len(names)
    return list(names) if count <= most else [names[place * count // most] for place in range(most)]


def _weights(files: Pair, name: str | None, rows: NDArray[np.int64]) -> Doubles:
    """Return the sampling weights, 1 on average."""
    if name is None:
        return np.ones(len(rows))
    weights = files.original.numbers(name)
    if not (np.isfinite(weights).all() and (weights > 0).all()):
        raise DataError(f'Weights must be positive; "{name}" has some that are not. Correct them, or leave it out.')
    return np.asarray(weights[rows] / weights[rows].mean())


def _mean(values: Sequence[float]) -> float | None:
    return math.fsum(values) / len(values) if values else None


class _Tables:
    """The variables of both files as analyses take them.

    Attributes
    ----------
    names
        The variables.
    weights
        Of every record.
    amounts
        The numbers of both files, by name.
    codes
        Categories and bands of both files, by name; -1 for a missing value.
    """

    def __init__(self, files: Pair, rows: NDArray[np.int64], weights: Doubles) -> None:
        self.names, self.weights = list(files.columns), weights
        self.amounts: dict[str, tuple[Doubles, Doubles]] = {}
        self.codes: dict[str, tuple[Codes, Codes]] = {}
        for place, name in enumerate(files.numeric_names):
            before, after = (file[:, place] for file in files.numbers)
            self.amounts[name] = before[rows], after[rows]
            edges = np.unique(np.nanquantile(before, np.arange(1, _BANDS) / _BANDS, method="inverted_cdf"))
            self.codes[name] = _banded(before[rows], edges), _banded(after[rows], edges)
        for place, name in enumerate(files.category_names):
            self.codes[name] = files.categories[0][rows, place], files.categories[1][rows, place]

    def columns(self, name: str, most: int = _MOST_LEVELS) -> tuple[Doubles, Doubles] | None:
        """Return a variable of both files as columns of a model: a number, or indicators; None if it does not vary.

        NaN for a missing value. The most frequent category has no indicator unless it is the only one.
        """
        if name in self.amounts:
            before, after = self.amounts[name]
            if not np.nanmax(before, initial=-np.inf) > np.nanmin(before, initial=np.inf):
                return None
            scale = standard_scale(before)
            with np.errstate(over="ignore"):
                both = [np.clip(scale.apply(column), -_FARTHEST, _FARTHEST)[:, None] for column in (before, after)]
            return both[0], both[1]
        return self.indicators(name, most)

    def indicators(self, name: str, most: int = _MOST_LEVELS) -> tuple[Doubles, Doubles] | None:
        """Return indicators of the categories or bands of a variable in both files; None if there are none."""
        before, after = self.codes[name]
        levels, counts = np.unique(before[before >= 0], return_counts=True)
        common = levels[np.argsort(-counts, kind="stable")][1 : most + 1]
        common = common[np.isin(common, levels[counts >= _FEW])]
        if not len(common):
            return None
        indicators = [
            np.where(codes[:, None] >= 0, (codes[:, None] == common).astype(np.float64), np.nan)
            for codes in (before, after)
        ]
        return indicators[0], indicators[1]


def _banded(values: Doubles, edges: Doubles) -> Codes:
    """Return the band of every value: 0 for those up to the first edge; -1 for a missing value."""
    return np.where(np.isnan(values), -1, np.searchsorted(edges, values, side="left")).astype(np.int64)


def _model(tables: _Tables, name: str) -> dict[str, float] | None:
    """Return how the model of one variable comes out of both files; None where it cannot be fitted to the original."""
    response = tables.columns(name)
    others = [one for one in tables.names if one != name]
    predictors = [found for one in others if (found := tables.columns(one)) is not None]
    if response is None or not predictors:
        return None
    bands = [found for one in others if one in tables.amounts and (found := tables.indicators(one)) is not None]
    if len(tables.weights) >= _RECORDS_A_TERM * sum(one[0].shape[1] for one in [*predictors, *bands]):
        predictors += bands
    learned, released, predicted = _fitted(tables, response, predictors)
    if learned is None or not learned.estimated.any():
        return None
    overlap = 0.0 if released is None else 100 * float(overlaps(learned, released).mean())
    return {"overlap": overlap, "original": learned.r2, "release": predicted}


def _fitted(
    tables: _Tables, response: tuple[Doubles, Doubles], predictors: Sequence[tuple[Doubles, Doubles]]
) -> tuple[LinearModel | None, LinearModel | None, float]:
    """Return the model of each file, and what that of the release explains in the original, 0 if there is none."""
    data = []
    for file in (0, 1):
        Z, Y = np.hstack([one[file] for one in predictors]), response[file]
        complete = ~(np.isnan(Z).any(axis=1) | np.isnan(Y).any(axis=1))
        data.append((Z[complete], Y[complete], tables.weights[complete]))
    learned, released = (linear_model(*one) for one in data)
    return learned, released, 0.0 if released is None else released.r2_on(*data[0])


def _tables(tables: _Tables) -> list[float]:
    """Return by how many per cent the shares of every cross-table differ; of one variable alone, of its own table."""
    pairs: Iterable[tuple[str, ...]] = combinations(tables.names, 2) if len(tables.names) > 1 else [(tables.names[0],)]
    total, found = float(tables.weights.sum()), []
    for pair in pairs:
        cells = np.zeros(2 * len(tables.weights), dtype=np.int64)
        for name in pair:
            codes = np.unique(np.concatenate(tables.codes[name]), return_inverse=True)[1].reshape(-1)
            cells = cells * (int(codes.max()) + 1) + codes
        places = np.unique(cells, return_inverse=True)[1].reshape(-1)
        signed = np.concatenate([tables.weights, -tables.weights])
        found.append(50 * float(np.abs(np.bincount(places, weights=signed)).sum()) / total)
    return found


def _totals(tables: _Tables) -> list[float]:
    """Return by how many per cent the totals of numbers differ, in every domain of ten records or more."""
    categories = [name for name in tables.names if name not in tables.amounts]
    found = []
    for domain in categories or list(tables.amounts):
        for name in tables.amounts:
            if name != domain:
                found += list(_domain_totals(tables, domain, name))
    return found


def _domain_totals(tables: _Tables, domain: str, name: str) -> Iterator[float]:
    before, after = tables.codes[domain]
    count = int(max(before.max(), after.max())) + 1
    if count < 1:
        return
    sums = []
    for codes, values in ((before, tables.amounts[name][0]), (after, tables.amounts[name][1])):
        there = (codes >= 0) & ~np.isnan(values)
        weighted = tables.weights[there] * values[there]
        sums.append(np.bincount(codes[there], weights=weighted, minlength=count))
        if codes is before:
            sizes = np.bincount(codes[there], minlength=count)
            absolute = np.bincount(codes[there], weights=np.abs(weighted), minlength=count)
    for code in np.flatnonzero((sizes >= _FEW) & (absolute > 0)):
        yield 100 * min(1.0, abs(float(sums[1][code] - sums[0][code])) / float(absolute[code]))
