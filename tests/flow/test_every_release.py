"""Every value of every release is one that may be released: random tables and settings, and an independent verdict.

`make test` protects the same 240 tables every time, `make test-long` 10,000 others. A fault names its seed; to look at
one alone: SHOAL_RELEASE_SEED=123 python -m pytest tests/flow/test_every_release.py
"""

from __future__ import annotations

import os
import secrets
import traceback
import warnings
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import pytest

import shoal
from oracles.cases import Case, Fault, Variable
from oracles.random_releases import drawn_case
from oracles.refusals import reasons_to_refuse, undecided_columns, values_in_message
from oracles.released_values import faults
from oracles.second_steps import drawn_step, faults_of_step
from oracles.text_of_release import faults_of_text
from shoal.errors import ShoalError
from shoal.partition import METHODS
from shoal.replace import REPLACEMENTS

pytestmark = [pytest.mark.randomised, pytest.mark.slow]

FEW, MANY = 240, 10_000
SHOWN = 20  # faults of one kind


@dataclass(repr=False)
class Outcome:
    """What became of one case."""

    case: Case
    refusal: ShoalError | None = None
    crash: str = ""
    faults: list[Fault] = field(default_factory=list)
    used: set[str] = field(default_factory=set)
    is_chain: bool = False

    @property
    def is_release(self) -> bool:
        return self.refusal is None and not self.crash


def protected(seed: int, folder: Path) -> Outcome:
    """Protect the table of this seed and judge what came out, in memory and as text."""
    outcome = Outcome(drawn_case(seed))
    case = outcome.case
    try:
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            release = shoal.protect(case.data(), case.k, **case.options)
    except ShoalError as refusal:
        outcome.refusal = refusal
    except Exception:  # the test is about there being none
        outcome.crash = traceback.format_exc(limit=-2)
    else:
        outcome.faults = faults(case, release, [str(one.message) for one in warned])
        replacements = {written["name"] for written in release.plan.replace.values()}
        outcome.used = {release.plan.method["name"], *replacements}
        if not outcome.faults:
            _protect_further(outcome, release)
            _write(outcome, release, folder)
    return outcome


def _write(outcome: Outcome, release: shoal.Release, folder: Path) -> None:
    """Write a release as text, and judge that too."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            outcome.faults += faults_of_text(outcome.case, release, folder)
    except Exception:
        outcome.crash = outcome.crash or f"written: {traceback.format_exc(limit=-2)}"


def _protect_further(outcome: Outcome, release: shoal.Release) -> None:
    """Protect some numbers of a release in a second step, in some of them, and judge that too; it may be refused."""
    step = drawn_step(outcome.case, release, 0.25)
    if step is None:
        return
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            further = release.then(**step)
            outcome.faults = list(faults_of_step(outcome.case, release, further, step))
        outcome.is_chain = True
    except ShoalError:
        pass
    except Exception:
        outcome.crash = f"second step: {traceback.format_exc(limit=-2)}"


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> list[Outcome]:
    """Protect all tables once; what each test asks is another question about the same releases."""
    folder = tmp_path_factory.mktemp("releases")
    if "SHOAL_RELEASE_SEED" in os.environ:
        return [protected(int(os.environ["SHOAL_RELEASE_SEED"]), folder)]
    if os.environ.get("HYPOTHESIS_PROFILE") == "long":
        first = secrets.randbelow(2**40)
        return [protected(first + place, folder) for place in range(MANY)]
    return [protected(seed, folder) for seed in range(FEW)]


def shown(found: list[tuple[Outcome, str]]) -> str:
    """Say how many cases show what should not be, the seeds of some, and all about the smallest."""
    if not found:
        return ""
    smallest = min((outcome.case for outcome, _ in found), key=lambda case: case.records * len(case.variables))
    lines = [f"seed {outcome.case.seed}: {text}" for outcome, text in found[:SHOWN]]
    return "\n".join([f"{len(found)} faults", *lines, f"the smallest: {smallest}"])


PROMISES = [
    *("type of table", "rows", "columns", "index", "type of column", "blocks", "missing values stay"),
    *("columns that are not protected stay", "only released categories are listed", "order of categories"),
    *("labels number the groups", "groups of at least k", "sizes are those of the groups", "groups stay within strata"),
    *("every record is in a group", "k records are alike", "one value for a group", "values rest on k observed"),
    *("records behind a value share it", "values are those of the records behind them"),
    *("values are those of their group", "values that one record has are counted", "a medoid is a complete record"),
    *("a medoid is a record of its group", "no difference of sums over fewer than k", "constant columns stay"),
    *("centres are of complete records", "centres are carried by k", "centres average k records"),
    *("synthetic data are of complete records", "synthetic data keep means", "no record is unchanged"),
    *("categories are dealt inside groups", "missing values are filled", "filled values are counted"),
    *("no record carries more than half of a weight", "no record dominates a sum"),
    *("sums that one record makes up are counted", "what is released as it is is said", "whole records are k alike"),
    *("kept categories are true or missing", "suppressed cells are counted", "groups stay within kept categories"),
    *("units have new ids", "records of a unit get its value", "bounds keep the range"),
    *("exchanged values are those of the stratum", "values are exchanged within p % of the ranks"),
    *("a step changes its own columns alone", "a step can be undone", "a plan repeats the whole chain"),
    *("k of a chain is that of the final table", "a second step exchanges values within strata"),
    *("a second step has groups of at least k", "a second step gives the mean of what the first released"),
    *("recodes are counted", "groups are close to the file"),
    *("text has the decimals of the column and two", "k is counted on what is written", "rounding keeps k"),
    *("noise has the size asked for", "categories are those of the stratum", "whole places are exchanged"),
]


@pytest.mark.parametrize("promise", PROMISES)
def test_a_promise_holds_in_every_release(outcomes, promise):
    broken = [(one, fault.where) for one in outcomes for fault in one.faults if fault.promise == promise]
    assert not broken, shown(broken)


def test_the_oracle_speaks_of_these_promises_and_no_others(outcomes):
    assert {fault.promise for one in outcomes for fault in one.faults} <= set(PROMISES)


def test_what_is_not_released_is_refused_in_words(outcomes):
    crashes = [(one, one.crash) for one in outcomes if one.crash]
    assert not crashes, shown(crashes)


def test_nothing_is_refused_without_a_reason(outcomes):
    refusals = [(one, str(one.refusal)) for one in outcomes if one.refusal and not reasons_to_refuse(one.case)]
    assert not refusals, shown(refusals)


def test_columns_that_nobody_decided_are_refused_by_name(outcomes):
    undecided = [(one, [str(one.case.labels[name]) for name in undecided_columns(one.case)]) for one in outcomes]
    wrong = [(one, f"{names} in {one.refusal}") for one, names in undecided if names and not _names_all(one, names)]
    assert not wrong, shown(wrong)
    assert len(outcomes) == 1 or any(names for _, names in undecided)


def _names_all(outcome: Outcome, columns: list[str]) -> bool:
    return all(f'"{name}" (' in str(outcome.refusal) for name in columns)


def test_no_refusal_shows_a_value(outcomes):
    leaks = [
        (one, str(one.refusal)) for one in outcomes if one.refusal and values_in_message(one.case, str(one.refusal))
    ]
    assert not leaks, shown(leaks)


def test_most_tables_are_released(outcomes):
    refusals = Counter(type(one.refusal).__name__ for one in outcomes if one.refusal)
    releases = sum(one.is_release for one in outcomes)
    print(f"{releases} of {len(outcomes)} tables released; refused: {dict(refusals)}")
    assert releases > len(outcomes) / 2 or len(outcomes) == 1


def test_every_method_and_replacement_is_among_the_releases(outcomes):
    if len(outcomes) > 1:
        assert not {*METHODS, *REPLACEMENTS} - {name for one in outcomes for name in one.used}


def test_tables_of_every_kind_are_released_with_nothing_said_of_their_columns(outcomes):
    """Texts, codes and amounts together; with columns as they are, and roles."""
    by_default = [one.case for one in outcomes if one.is_release and not {"columns", "blocks"} & set(one.case.options)]
    unsaid = [[case.variable(name) for name in case.rewritten] for case in by_default]
    found = [{_sort(one) for one in variables if not one.stated} for variables in unsaid]
    assert len(outcomes) == 1 or any({"text", "codes", "amounts"} <= one for one in found)
    assert len(outcomes) == 1 or {"as_is", "roles"} <= {name for case in by_default for name in case.options}


def test_units_and_bounds_are_among_the_releases(outcomes):
    cases = [one.case for one in outcomes if one.is_release]
    assert len(outcomes) == 1 or {(case.unit is not None, case.drop_unit) for case in cases} >= {
        (True, True),
        (True, False),
    }
    levels = [{case.is_of_units(name) for name in case.rewritten} for case in cases]
    assert len(outcomes) == 1 or ({True, False} in levels and any(case.bounds for case in cases))


def test_kept_categories_are_among_the_releases(outcomes):
    kept = [one.case for one in outcomes if one.is_release and one.case.categories]
    assert len(outcomes) == 1 or {way for case in kept for way in case.categories.values()} == {"suppress", "within"}
    assert len(outcomes) == 1 or {case.unit is not None for case in kept} == {True, False}
    assert len(outcomes) == 1 or any(not case.rewritten for case in kept)


def test_recodes_and_closeness_are_among_the_releases(outcomes):
    cases = [one.case for one in outcomes if one.is_release]
    recodes = [written for case in cases for written in case.options.get("recodes", {}).values()]
    ways = {one["name"] if isinstance(one, dict) else one.split(":")[0] for one in recodes}
    assert len(outcomes) == 1 or ways == {"round", "top-bottom", "bands", "merge"}
    assert len(outcomes) == 1 or any(case.closeness is not None for case in cases)


def test_second_steps_are_among_the_releases(outcomes):
    chains = [one.case for one in outcomes if one.is_chain]
    assert len(outcomes) == 1 or (any(case.raw for case in chains) and any(case.unit for case in chains))


def _sort(variable: Variable) -> str:
    if variable.is_numeric:
        return "codes" if variable.kind == "nominal" else "amounts"
    return "text" if any(isinstance(cell, str) for cell in variable.cells) else "truth"
