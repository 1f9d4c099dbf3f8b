"""Methods side by side on one table: what each loses at each k, and how long it takes."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from typing import Any

from shoal import progress
from shoal.choices import build, spell, text
from shoal.errors import DataError, MethodError, ParameterError, ShoalError, ShoalWarning
from shoal.flow import protect
from shoal.limits import Whole, check_limits
from shoal.partition import METHODS, Partitioner
from shoal.read import Table, as_table
from shoal.replace import SYNTHETIC
from shoal.synthetic_choice import replacement_for_all

__all__ = ["Comparison", "Row", "compare"]


@dataclass(frozen=True)
class Row:
    """One method at one k."""

    method: str
    k: int
    information_loss: float | None
    seconds: float
    groups: int
    smallest_group: int
    largest_group: int


@dataclass(frozen=True)
class Comparison:
    """The rows of a comparison, and why some methods are not among them."""

    rows: tuple[Row, ...]
    left_out: Mapping[str, str]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain numbers, texts and lists, ready for JSON."""
        return {"rows": [asdict(row) for row in self.rows], "left_out": dict(self.left_out)}

    def to_frame(self) -> Any:
        """Return the rows as a pandas frame."""
        import pandas as pd

        return pd.DataFrame([asdict(row) for row in self.rows], columns=[field.name for field in fields(Row)])


def compare(
    data: Any, k: int | Iterable[int], methods: str | Iterable[Any] = "all", *, seed: int = 0, **options: Any
) -> Comparison:
    """Protect a table by several methods at several k, and put what they lose side by side.

    Parameters
    ----------
    data
        A frame, an array or the path of a file, as in `shoal.protect`.
    k
        One k, or several. One that is named twice is tried once, and so is a method.
    methods
        Names or estimators, or "all". Of all, those are left out that take too long for the size of the table. A
        method that is named is run, however long it takes. What a method cannot do at some k, or at any, is left out
        too, and the rest is kept; `left_out` says why. If nothing can be done, that is the error.
    seed
        What random choices start from.
    **options
        As in `shoal.protect`: columns, roles, kinds, blocks, strata, weights, missing, standardize, replace,
        confidential. Groups that a synthetic replacement works in are those of the methods; with one that needs none,
        such as "ipso", "one-group", the whole file, is among all methods.
    """
    table = as_table(data)
    ks: list[Any] = [k] if _is_one(k) else list(k)  # type: ignore[arg-type]  # several
    for each in ks:
        check_limits({"k": Whole(2)}, {"k": each})
    ks = list(dict.fromkeys(int(each) for each in ks))
    take_all = isinstance(methods, str) and methods == "all"
    wanted: list[Any] = [methods] if _is_one(methods) else list(methods)  # type: ignore[arg-type]  # several
    if take_all:
        wanted = [name for name in METHODS if name != "one-group" or _rewrites_whole_file(options.get("replace"))]
    if not ks or not wanted:
        raise ParameterError("There is nothing to compare: name at least one k and one method.")
    spelled = []
    for method in wanted:
        one = spell(method, METHODS, "method")
        if isinstance(method, Partitioner):
            del one["k"]
        build(one, METHODS, "method", k=2)
        if one not in spelled:
            spelled.append(one)
    rows: list[Row] = []
    left_out: dict[str, str] = {}
    first: ShoalError | None = None
    for one in spelled:
        too_large = _too_large(one["name"], table) if take_all else ""
        if too_large:
            left_out[text(one)] = too_large
            progress.advance(1 / len(spelled))
            continue
        reasons: dict[str, list[int]] = {}
        for each in ks:
            with progress.share(1 / len(spelled) / len(ks)):
                try:
                    rows.append(_row(table, each, one, seed, options))
                except ShoalError as error:
                    first = first or error
                    reasons.setdefault(str(error), []).append(each)
        if reasons:
            left_out[text(one)] = _why(reasons, len(ks))
    if not rows and isinstance(first, MethodError) and take_all:
        raise DataError(f"No method can group this table. {first}")
    if not rows:
        raise first or DataError(f"No method can group this table. {next(iter(left_out.values()))}")
    return Comparison(tuple(rows), left_out)


def _why(reasons: Mapping[str, list[int]], count: int) -> str:
    """Return the reasons, and at which k they hold if not at all of them."""
    if [len(ks) for ks in reasons.values()] == [count]:
        return next(iter(reasons))
    return " ".join(f"at k={', '.join(map(str, ks))}: {reason}" for reason, ks in reasons.items())


def _rewrites_whole_file(replace: Any) -> bool:
    """Whether a replacement needs no groups."""
    chosen = None if replace is None else replacement_for_all(replace, ())
    return chosen is not None and chosen["name"] in SYNTHETIC and chosen["name"] != "hybrid"


def _is_one(given: Any) -> bool:
    """Whether one choice was given, not several; a column of a table is none at all, and no list of choices either."""
    return isinstance(given, str | Mapping) or not isinstance(given, Iterable) or hasattr(given, "to_frame")


@contextmanager
def _compiling() -> Iterator[list[float]]:
    """Give a list to which the seconds are added that numba compiles for, which it does once on a machine."""
    from numba.core.event import install_timer

    seconds: list[float] = []
    with install_timer("numba:compiler_lock", seconds.append):
        yield seconds


def _too_large(name: str, table: Table) -> str:
    kind = METHODS[name]
    if kind.most_records is not None and len(table) > kind.most_records:
        return (
            f"would take too long: its time grows like {kind.cost}, it is for up to {kind.most_records:,} records, and "
            f"the table has {len(table):,}."
        )
    return ""


def _row(table: Table, k: int, method: Mapping[str, Any], seed: int, options: Mapping[str, Any]) -> Row:
    begin = time.perf_counter()
    with warnings.catch_warnings(), _compiling() as compiling:
        warnings.simplefilter("ignore", ShoalWarning)  # nothing is released
        release = protect(table, k, method=method, seed=seed, **options)
    seconds = time.perf_counter() - begin - sum(compiling)
    outcome = release.plan.outcome
    assert outcome is not None
    return Row(
        method=text(method),
        k=k,
        information_loss=release.evaluate(measures=["information_loss"]).information_loss,
        seconds=seconds,
        groups=sum(outcome.groups),
        smallest_group=outcome.smallest_group,
        largest_group=outcome.largest_group,
    )
