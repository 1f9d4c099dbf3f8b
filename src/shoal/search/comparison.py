"""Methods side by side on one table: what each costs and buys at each k, and how long it takes."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from shoal import progress
from shoal.errors import DataError, MethodError, ParameterError, ShoalError
from shoal.flow.masking import Masking, masking_of
from shoal.flow.synthetic_choice import replacement_for_all
from shoal.parameters.limits import Whole, check_limits
from shoal.partition import METHODS
from shoal.read import Table, as_table
from shoal.replace import REPLACEMENTS
from shoal.search.ground import Figures, Ground

__all__ = ["Comparison", "Row", "compare"]


@dataclass(frozen=True)
class Row(Figures):
    """One method at one k: its figures, how long it took, and its groups."""

    method: str
    k: int
    family: str
    seconds: float
    groups: int
    smallest_group: int
    largest_group: int
    is_whole_file: bool = field(default=False, repr=False)

    @property
    def shown_k(self) -> str:
        """The k that is shown: none where all records are one group, whatever k is."""
        return "" if self.is_whole_file else str(self.k)

    @property
    def name(self) -> str:
        """The method and its k, as one line."""
        return f"{self.method}, k={self.k}" if self.shown_k else self.method


_SYNTHETIC = ("hybrid", "ipso", "muralidhar-sarathy", "fuzzy-regression:n_clusters=5")
_ORDER = ("method", "k", *(one.name for one in fields(Figures)))
_COLUMNS = _ORDER + tuple(one.name for one in fields(Row) if one.name not in (*_ORDER, "is_whole_file"))


@dataclass(frozen=True)
class Comparison:
    """The rows of a comparison, the lowest score first, and why some methods are not among them.

    Attributes
    ----------
    rows
        One for each method and k.
    left_out
        What could not be done, and why.
    unmasked_risk, unmasked_score
        The risk and the score of the file as it is.
    ground
        The table, and what all methods share.
    """

    rows: tuple[Row, ...]
    left_out: Mapping[str, str]
    unmasked_risk: float | None
    unmasked_score: float | None
    ground: Ground = field(repr=False, compare=False)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain numbers, texts and lists, ready for JSON."""
        return {
            "rows": [{name: asdict(row)[name] for name in _COLUMNS} for row in self.rows],
            "left_out": dict(self.left_out),
            "unmasked_risk": self.unmasked_risk,
            "unmasked_score": self.unmasked_score,
        }

    def to_frame(self) -> Any:
        """Return the rows as a pandas frame."""
        import pandas as pd

        return pd.DataFrame([asdict(row) for row in self.rows], columns=list(_COLUMNS))

    def report(self, path: str | os.PathLike[str], *, title: str = "Methods side by side") -> None:
        """Write a page of its own: the table, and the map of risk and loss. There is no value of the data in it."""
        from shoal.report.page.comparison import comparison_page
        from shoal.report.page.html import write_page

        write_page(comparison_page(self, title), path)


def compare(
    data: Any, k: int | Iterable[int], methods: str | Iterable[Any] = "all", *, seed: int = 0, **options: Any
) -> Comparison:
    """Protect a table by several methods at several k, and put what they cost and buy side by side.

    Parameters
    ----------
    data
        A frame, an array or the path of a file, as in `shoal.protect`.
    k
        One k, or several. One that is named twice is tried once, and so is a method.
    methods
        Names or estimators, or "all". A method can have a replacement of its own behind a plus, "mdav+hybrid",
        "mdav+median", or as a pair of objects; "hybrid" alone is "mdav+hybrid", and "ipso" is "one-group+ipso".
        Of all, those are left out that take too long for the size of the table; the synthetic ones are among them if
        some variables are confidential. A method that is named is run, however long it takes. What a method cannot do
        at some k, or at any, is left out too, and the rest is kept; `left_out` says why. If nothing can be done, that
        is the error.
    seed
        What random choices start from.
    **options
        As in `shoal.protect`: columns, roles, kinds, blocks, strata, weights, edits, missing, standardize, replace,
        confidential. `replace` is for methods without one of their own; with one that needs no groups, such as "ipso",
        "one-group", the whole file, is among all methods. Where nobody says what is confidential, synthetic data
        rewrite all columns; where somebody does, all methods are measured on the confidential ones.

    Notes
    -----
    The measures are the quick ones: the score, its parts, information loss, and the transparency attack where
    it applies. `release.evaluate()` has more.
    """
    table = as_table(data)
    ks: list[Any] = [k] if _is_one(k) else list(k)  # type: ignore[arg-type]  # several
    for each in ks:
        check_limits({"k": Whole(2)}, {"k": each})
    ks = list(dict.fromkeys(int(each) for each in ks))
    take_all = isinstance(methods, str) and methods == "all"
    wanted: list[Any] = [methods] if _is_one(methods) else list(methods)  # type: ignore[arg-type]  # several
    if take_all:
        wanted = _all_methods(options)
    if not ks or not wanted:
        raise ParameterError("There is nothing to compare: name at least one k and one method.")
    maskings = []
    for method in wanted:
        one = masking_of(method)
        one.check()
        if one not in maskings:
            maskings.append(one)
    ground = Ground(table, options, any(one.rewrites for one in maskings))
    rows: list[Row] = []
    left_out: dict[str, str] = {}
    first: ShoalError | None = None
    for one in maskings:
        too_large = _too_large(one, table) if take_all else ""
        if too_large:
            left_out[one.text] = too_large
            progress.advance(1 / len(maskings))
            continue
        reasons: dict[str, list[int]] = {}
        own = [max(ks)] if one.is_whole_file else ks  # of all records, whatever k is
        for each in own:
            with progress.step(1 / len(maskings) / len(own)):
                try:
                    rows.append(_row(ground, one, each, seed))
                except ShoalError as error:
                    first = first or error
                    reasons.setdefault(str(error), []).append(each)
        if reasons:
            left_out[one.text] = _why(reasons, len(own))
    if not rows and isinstance(first, MethodError) and take_all:
        raise DataError(f"No method can group this table. {first}")
    if not rows:
        raise first or DataError(f"No method can group this table. {next(iter(left_out.values()))}")
    unmasked = ground.unmasked
    return Comparison(tuple(sorted(rows, key=_rank)), left_out, unmasked.risk, unmasked.score, ground)


def _rank(row: Row) -> tuple[float, int, float]:
    """The lowest score first; what has none last, by k and loss."""
    return math.inf if row.score is None else row.score, row.k, row.information_loss or 0.0


def _all_methods(options: Mapping[str, Any]) -> list[str]:
    """Return all methods that make sense with these options."""
    grouping = [name for name, kind in METHODS.items() if kind.scope != "file"]
    replace, roles = options.get("replace"), options.get("roles")
    if replace is not None:
        whole = [name for name, kind in METHODS.items() if kind.scope == "file"]
        return [*grouping, *whole] if _rewrites_whole_file(replace) else grouping
    named = isinstance(roles, Mapping) and "confidential" in roles.values()
    return [*grouping, *_SYNTHETIC] if named or options.get("confidential") is not None else grouping


def _why(reasons: Mapping[str, list[int]], count: int) -> str:
    """Return the reasons, and at which k they hold if not at all of them."""
    if [len(ks) for ks in reasons.values()] == [count]:
        return next(iter(reasons))
    return " ".join(f"at k={', '.join(map(str, ks))}: {reason}" for reason, ks in reasons.items())


def _rewrites_whole_file(replace: Any) -> bool:
    """Whether a replacement needs no groups."""
    chosen = replacement_for_all(replace, ())
    kind = None if chosen is None else REPLACEMENTS.get(chosen["name"])
    return kind is not None and kind.rewrites and METHODS[kind.default_method].scope == "file"


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


def _too_large(masking: Masking, table: Table) -> str:
    kind = masking.method_class
    if kind.most_records is not None and len(table) > kind.most_records:
        return (
            f"would take too long: its time grows like {kind.cost}, it is for up to {kind.most_records:,} records, and "
            f"the table has {len(table):,}."
        )
    return ""


def _row(ground: Ground, masking: Masking, k: int, seed: int) -> Row:
    begin = time.perf_counter()
    with _compiling() as compiling:
        release = ground.tried(masking, k, seed)
    seconds = time.perf_counter() - begin - sum(compiling)
    outcome = release.plan.outcome
    assert outcome is not None
    return Row(
        method=masking.text,
        k=k,
        **asdict(ground.figures(release)),
        family=release.plan.masking.family,
        seconds=seconds,
        groups=sum(outcome.groups),
        smallest_group=outcome.smallest_group,
        largest_group=outcome.largest_group,
        is_whole_file=masking.is_whole_file,
    )
