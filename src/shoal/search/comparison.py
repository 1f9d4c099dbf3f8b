"""Methods side by side on one table: disclosure risk and information loss of each at each k, and its time."""

from __future__ import annotations

import inspect
import math
import os
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from shoal import progress
from shoal.errors import DataError, MethodError, ParameterError, ShoalError, visible
from shoal.flow.masking import Masking, masking_of
from shoal.flow.synthetic_choice import asked_to_perturb, replacement_for_all
from shoal.measure.options import MeasureOptions, checked_measure_options, full_options, options_text
from shoal.parameters.choices import as_text
from shoal.parameters.limits import Whole, check_limits
from shoal.partition import METHODS
from shoal.read import Table, as_table
from shoal.replace import REPLACEMENTS, Replacement
from shoal.search.setup import TrialSetup
from shoal.search.trial import TRIAL_MEASURES, TrialMeasures, further_measures

__all__ = ["ComparedRelease", "Comparison", "compare"]


@dataclass(frozen=True)
class ComparedRelease(TrialMeasures):
    """One method at one k: its measures, how long it took, and its groups.

    `above_best` says how far the groups' squared error is above the best possible one at most, in %; None where nothing
    is proven. `further` has the measures that were asked for beside those of every trial, by name.
    """

    method: str
    k: int
    family: str
    seconds: float
    groups: int
    smallest_group: int
    largest_group: int
    above_best: float | None
    further: Mapping[str, float | None] = field(default_factory=dict, hash=False)
    is_whole_file: bool = field(default=False, repr=False)

    @property
    def shown_k(self) -> str:
        """The k that is shown: none where all records are one group, whatever k is."""
        return "" if self.is_whole_file else str(self.k)

    @property
    def name(self) -> str:
        """The method and its k, as one line."""
        return f"{self.method}, k={self.k}" if self.shown_k else self.method


_ORDER = ("method", "k", *(one.name for one in fields(TrialMeasures)))
_NO_COLUMNS = ("further", "is_whole_file")
_AT_THE_END = tuple(one.name for one in fields(ComparedRelease) if one.name not in (*_ORDER, *_NO_COLUMNS))


@dataclass(frozen=True)
class Comparison:
    """The rows of a comparison, the lowest score first, and why some methods are not among them.

    Attributes
    ----------
    rows
        One for each method and k.
    left_out
        Methods that could not be used, and why.
    unmasked_risk, unmasked_score
        The risk and the score of the file as it is.
    setup
        The table, and what all methods share.
    """

    rows: tuple[ComparedRelease, ...]
    left_out: Mapping[str, str]
    unmasked_risk: float | None
    unmasked_score: float | None
    setup: TrialSetup = field(compare=False)

    def __repr__(self) -> str:
        releases, methods = len(self.rows), len({row.method for row in self.rows})
        parts = [f"{releases:,} release{'s' * (releases != 1)} of {methods:,} method{'s' * (methods != 1)}"]
        best = next((row for row in self.rows if row.score is not None), None)
        if best is not None:
            k = f" k={best.shown_k}" if best.shown_k else ""
            parts.append(f"lowest score {visible(best.method)}{k}: {best.score:.2f}")
        if self.left_out:
            parts.append(f"{len(self.left_out):,} left out")
        return f"Comparison({', '.join(parts)})"

    def _repr_html_(self) -> str | None:
        from shoal.report.writing import comparison_in_notebook

        return comparison_in_notebook(self)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain numbers, texts and lists, ready for JSON."""
        return {
            "rows": self._flat_rows(),
            "left_out": dict(self.left_out),
            "unmasked_risk": self.unmasked_risk,
            "unmasked_score": self.unmasked_score,
            "options": full_options(self.setup.measure_options, (*TRIAL_MEASURES, *self.setup.further)),
        }

    def to_frame(self) -> Any:
        """Return the rows as a pandas frame, with options of measures that are not the default ones in every row."""
        import pandas as pd

        frame = pd.DataFrame(self._flat_rows())
        options = self.setup.measure_options
        return frame.assign(options=options_text(options)) if options else frame

    def report(self, path: str | os.PathLike[str], *, title: str = "Methods side by side") -> None:
        """Write a page: the table, and the map of risk and loss. There is no value of the data in it."""
        from shoal.report.writing import write_comparison_report

        write_comparison_report(self, path, title)

    def _flat_rows(self) -> list[dict[str, Any]]:
        """Return the rows by column, the further measures behind those of every trial."""
        return [
            {name: getattr(row, name) for name in _ORDER}
            | dict(row.further)
            | {name: getattr(row, name) for name in _AT_THE_END}
            for row in self.rows
        ]


def compare(
    data: Any,
    k: int | Iterable[int],
    methods: str | Iterable[Any] = "all",
    *,
    measures: str | Iterable[str] | None = None,
    options: MeasureOptions | None = None,
    seed: int = 0,
    **protection: Any,
) -> Comparison:
    """Protect a table by several methods at several k, and compare their disclosure risk and information loss.

    Parameters
    ----------
    data
        A frame, an array or the path of a file, as in `shoal.protect`.
    k
        One k, or several. A value that is named twice is used once, and so is a method.
    methods
        Names or estimators, or "all". A method can have a replacement of its own behind a plus, "mdav+hybrid",
        "mdav+median", or as a pair of objects; "hybrid" alone is "mdav+hybrid", and "ipso" is "one-group+ipso". So is
        "rank-swap", and others that change records one by one and promise no k.
        Of all, those are left out that take too long for the size of the table; the synthetic ones are among them if
        some variables are confidential. A method that is named is run, however long it takes. What a method cannot do
        at some k, or at any, is left out too, and the rest is kept; `left_out` says why. If nothing can be done, that
        is the error.
    measures
        Names of further measures of `shoal.evaluate`, to be computed for every release; None where one has no meaning
        for it.
    options
        Options of these measures and of those below by their names, as in `shoal.evaluate`. The score and its risk
        and loss stay as they are, but for the weights of the score.
    seed
        What random choices start from.
    **protection
        Other options of `shoal.protect`, for all releases: columns, as_is, roles, kinds, blocks, strata, weights, unit,
        edits, missing, diversity, closeness, dominance, recodes, replace, confidential and the like. `replace` is for
        methods without one of their own; with one that needs no groups, such as "ipso", "one-group", the whole file, is
        among all methods. Where no variable is called confidential, synthetic data rewrite all columns; where some are,
        all methods are measured on these.

    Returns
    -------
    Comparison
        A row for every method and k, the lowest score first, and why some methods are not among them.

    Notes
    -----
    The measures are the quick ones: the score, its parts, information loss, and the transparency attack where
    it applies; `measures` adds others. `release.evaluate()` has all.
    """
    options = checked_measure_options(options, (*TRIAL_MEASURES, *further_measures(measures)))
    table = as_table(data)
    ks = _values_of_k(k)
    take_all = isinstance(methods, str) and methods == "all"
    maskings = _maskings(_all_methods(protection) if take_all else methods)
    if not ks or not maskings:
        raise ParameterError("There is nothing to compare: name at least one k and one method.")
    setup = TrialSetup(table, protection, any(one.family.rewrites for one in maskings), options, measures)
    rows: list[ComparedRelease] = []
    left_out: dict[str, str] = {}
    first: ShoalError | None = None
    for masking in maskings:
        too_large = _too_large(masking, table) if take_all else ""
        if too_large:
            left_out[masking.text] = too_large
            progress.advance(1 / len(maskings))
            continue
        own = [max(ks)] if masking.is_whole_file else ks  # of all records, whatever k is
        with progress.share(1 / len(maskings)):
            compared, reasons, error = _compared(setup, masking, own, seed)
        rows += compared
        first = first or error
        if reasons:
            left_out[masking.text] = _joined_reasons(reasons, len(own))
    if not rows:
        if first is not None and not (take_all and isinstance(first, MethodError)):
            raise first
        raise DataError(f"No method can group this table. {first or next(iter(left_out.values()))}")
    unmasked = setup.unmasked
    return Comparison(tuple(sorted(rows, key=_rank)), left_out, unmasked.risk, unmasked.score, setup)


def _values_of_k(k: Any) -> list[int]:
    ks: list[Any] = [k] if _is_one(k) else list(k)
    for each in ks:
        check_limits({"k": Whole(2)}, {"k": each})
    return list(dict.fromkeys(int(each) for each in ks))


def _maskings(methods: Any) -> list[Masking]:
    """Return the maskings that were named, each once; ParameterError for one that does not exist."""
    maskings: list[Masking] = []
    for method in [methods] if _is_one(methods) else list(methods):
        masking = masking_of(method)
        masking.check()
        if masking not in maskings:
            maskings.append(masking)
    return maskings


def _compared(
    setup: TrialSetup, masking: Masking, ks: list[int], seed: int
) -> tuple[list[ComparedRelease], dict[str, list[int]], ShoalError | None]:
    """Return the releases of a masking, the reasons why there is none with the k each holds at, and the first error."""
    rows: list[ComparedRelease] = []
    reasons: dict[str, list[int]] = {}
    first: ShoalError | None = None
    for k in ks:
        with progress.step(1 / len(ks)):
            try:
                rows.append(_compared_release(setup, masking, k, seed))
            except ShoalError as error:
                first = first or error
                reasons.setdefault(str(error), []).append(k)
    return rows, reasons, first


def _rank(row: ComparedRelease) -> tuple[float, int, float]:
    """The lowest score first; what has none last, by k and loss."""
    return math.inf if row.score is None else row.score, row.k, row.information_loss or 0.0


def _all_methods(options: Mapping[str, Any]) -> list[str]:
    """Return all methods that make sense with these options."""
    grouping = [name for name, kind in METHODS.items() if kind.scope != "file"]
    replace, roles = options.get("replace"), options.get("roles")
    if replace is not None:
        whole = [name for name, kind in METHODS.items() if kind.scope == "file"]
        if asked_to_perturb(replace, ()):
            return whole
        return [*grouping, *whole] if _rewrites_whole_file(replace) else grouping
    named = isinstance(roles, Mapping) and "confidential" in roles.values()
    rewriting = [_named_with_starts(kind) for kind in REPLACEMENTS.values() if kind.family.rewrites]
    numeric = [kind for kind in REPLACEMENTS.values() if "continuous" in kind.kinds and "nominal" not in kind.kinds]
    grouping += [_named_with_starts(kind) for kind in numeric if not kind.family.makes_groups]
    return [*grouping, *rewriting] if named or options.get("confidential") is not None else grouping


def _named_with_starts(kind: type[Replacement]) -> str:
    """Return the name of a replacement, with the start of a search for parameters that have no default."""
    defaults = {name: one.default for name, one in inspect.signature(kind).parameters.items()}
    needed = [one for one in kind.searched if defaults[one.name] is inspect.Parameter.empty]
    return as_text({"name": kind.name} | {one.name: one.start for one in needed})


def _joined_reasons(reasons: Mapping[str, list[int]], count: int) -> str:
    """Return the reasons, with the k at which each holds if not at all of them."""
    if [len(ks) for ks in reasons.values()] == [count]:
        return next(iter(reasons))
    return " ".join(f"at k={', '.join(map(str, ks))}: {reason}" for reason, ks in reasons.items())


def _rewrites_whole_file(replace: Any) -> bool:
    """Whether a replacement needs no groups."""
    chosen = replacement_for_all(replace, ())
    kind = None if chosen is None else REPLACEMENTS.get(chosen["name"])
    return kind is not None and kind.family.rewrites and METHODS[kind.default_method].scope == "file"


def _is_one(given: Any) -> bool:
    """Whether this is one choice, not several; a column of a table is no list of choices either."""
    return isinstance(given, str | Mapping) or not isinstance(given, Iterable) or hasattr(given, "to_frame")


@contextmanager
def _compiling() -> Iterator[list[float]]:
    """Collect the seconds that numba takes to compile, which it does once on a machine."""
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


def _compared_release(setup: TrialSetup, masking: Masking, k: int, seed: int) -> ComparedRelease:
    begin = time.perf_counter()
    with _compiling() as compiling:
        release = setup.protect(masking, k, seed)
    seconds = time.perf_counter() - begin - sum(compiling)
    outcome = release.plan.outcome
    assert outcome is not None
    return ComparedRelease(
        method=masking.text,
        k=k,
        **asdict(setup.measure(release)),
        family=release.plan.shown_as,
        seconds=seconds,
        groups=sum(outcome.groups),
        smallest_group=outcome.smallest_group,
        largest_group=outcome.largest_group,
        above_best=setup.above_best(release),
        further=setup.measure_further(release),
        is_whole_file=masking.is_whole_file,
    )
