"""Random rules on random tables: a release keeps them all, or it is refused before anything is masked.

`make test` protects the same 200 tables every time, `make test-long` 3,000 others. A fault names its seed; to look at
one alone: SHOAL_RULES_SEED=123 python -m pytest tests/flow/test_random_rules.py
"""

from __future__ import annotations

import csv
import os
import secrets
import traceback
import warnings
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import pytest

import shoal
from oracles.random_rules import broken, decimal_fraction, is_equality, misses, table_and_rules
from oracles.saxon import Saxon
from oracles.slow_shares import largest_share
from shoal.errors import ShoalError
from shoal.flow.explained_rules import explain
from shoal.flow.settle import settle

pytestmark = [pytest.mark.randomised, pytest.mark.slow]

FEW, MANY, BY_SAXON = 200, 3_000, 60
IS_LONG = os.environ.get("HYPOTHESIS_PROFILE") == "long"
TOLERANCE = 1e-9  # of the terms of an equality of which no variable can be computed last
METHODS = (*("mdav",) * 8, "fuzzy:m=1.3", "entropy", "at-least-k")
REPLACEMENTS = (
    *(None,) * 8,
    *("mean", "median", "geometric-mean", "mode", "order-statistic:q=0.25", "medoid"),
)


@dataclass(repr=False)
class Outcome:
    """What became of one table."""

    seed: int
    frame: pd.DataFrame
    rules: list[str]
    options: dict[str, Any]
    k: int
    release: Any = None
    refusal: str = ""
    explained: str = ""  # the refusal of an explanation
    crash: str = ""
    faults: list[str] = field(default_factory=list)
    faults_in_text: list[str] = field(default_factory=list)


def protected(seed: int, folder: Path) -> Outcome:
    """Protect the table of this seed and judge what came out, in memory and as text."""
    rng = Random(seed)
    method = rng.choice(METHODS)
    frame, rules = table_and_rules(rng)
    draws = method != "mdav"  # categories then stay as they are, and lists of numbers are refused
    replace = "membership-draw" if draws else rng.choice(REPLACEMENTS)
    columns = list(frame.select_dtypes("number")) if draws else list(frame)
    options = {"columns": columns, "edits": rules, "seed": seed}
    options |= {} if method == "mdav" else {"method": method}
    options |= {} if replace is None else {"replace": replace}
    options |= {"decimals": rng.choice((0, 2, 3))} if rng.random() < 0.15 else {}
    options |= {"blocks": "rules"} if rng.random() < 0.3 else {}
    drawn = Random(f"weights {seed}")
    if method == "mdav" and drawn.random() < 0.4:
        frame = frame.assign(weight=[drawn.choice((1.0, 1.0, 1.5, 6.0, 20.0)) for _ in range(len(frame))])
        options["weights"] = "weight"
    outcome = Outcome(seed, frame, rules, options, rng.randint(2, 5))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            settled = settle(frame, outcome.k, **options)
            outcome.explained = _refusal(lambda: explain(settled.plan, settled.table))
            outcome.release = settled.plan.run(frame)
    except ShoalError as error:
        outcome.refusal = str(error)
        outcome.explained = outcome.explained or ("" if "settled" in locals() else str(error))
    except Exception:
        outcome.crash = traceback.format_exc(limit=-2)
    if outcome.release is not None:
        outcome.faults = _faults(outcome, outcome.release.data)
        outcome.faults_in_text = _faults(outcome, _as_text(outcome.release, folder / f"{seed}.csv"), in_text=True)
    return outcome


def _as_text(release: Any, path: Path) -> pd.DataFrame:
    """Return a release with the numbers that the text of its file has."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        release.write(path, keep_order=True, plan=None)
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    path.unlink()
    numbers = release.data.select_dtypes("float").columns
    return release.data.assign(**{name: [float(row[name] or "nan") for row in rows] for name in numbers})


def _refusal(explained: Any) -> str:
    try:
        explained()
    except ShoalError as error:
        return str(error)
    return ""


def _faults(outcome: Outcome, data: pd.DataFrame, *, in_text: bool = False) -> list[str]:
    number = decimal_fraction if "decimals" in outcome.options else float
    found = broken(data, outcome.rules, original=outcome.frame, number=number)
    if in_text:  # sums that are rounded hold in decimals; quotients, which stay as they are, in floating point
        in_decimals = broken(data, outcome.rules, original=outcome.frame, number=decimal_fraction)
        found = {rule: records for rule, records in found.items() if rule in in_decimals}
    for rule in [rule for rule in found if announced(outcome, rule)]:
        if misses(data, rule) <= TOLERANCE:
            del found[rule]
    return [f"{rule}: {len(records)} records" for rule, records in found.items()]


def _heavy(outcome: Outcome) -> list[str]:
    """Say which released values have a record behind them with more than half of the weight, by groups and by values.

    The records of a group share one value of every column, also where rules move it.
    """
    release, weights = outcome.release, outcome.frame["weight"].to_numpy()
    found = []
    for partition in release.partitions:
        changed = [name for name in partition.columns if release.data[name].nunique() > 1]
        for name in changed:
            behind = partition.behind(name)
            cells = release.data[name].to_numpy()
            for group in set(behind.tolist()) - {-1}:
                rows = np.flatnonzero(behind == group)
                if len(set(cells[rows].tolist())) > 1:
                    found.append(f"{name}: several values in a group")
                if largest_share(weights[rows], rows) > 0.5 + 1e-9:
                    found.append(f"{name}: {largest_share(weights[rows], rows)}")
    return found


def announced(outcome: Outcome, rule: str) -> bool:
    """Whether the release says of an equality that it holds up to rounding."""
    notes = " ".join(outcome.release.plan.outcome.notes)
    return is_equality(rule) and f'"{shoal.edits.parse_rule(rule).shown}" holds up to rounding' in notes


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> list[Outcome]:
    """Protect all tables once; what each test asks is another question about the same releases."""
    folder = tmp_path_factory.mktemp("rules")
    if "SHOAL_RULES_SEED" in os.environ:
        return [protected(int(os.environ["SHOAL_RULES_SEED"]), folder)]
    if IS_LONG:
        first = secrets.randbelow(2**40)
        return [protected(first + place, folder) for place in range(MANY)]
    return [protected(seed, folder) for seed in range(FEW)]


def shown(found: list[tuple[Outcome, str]]) -> str:
    """Say how many tables show what should not be, the seeds of some, and the rules of the smallest."""
    if not found:
        return ""
    smallest = min((one for one, _ in found), key=lambda one: one.frame.size)
    lines = [f"seed {one.seed}: {text}" for one, text in found[:20]]
    return "\n".join([f"{len(found)} faults", *lines, f"the smallest: seed {smallest.seed}, {smallest.rules}"])


def test_every_release_keeps_its_rules(outcomes):
    faults = [(one, "; ".join(one.faults)) for one in outcomes if one.faults]
    assert not faults, shown(faults)


def test_rules_hold_in_the_text_of_a_file_and_most_of_it_is_rounded(outcomes):
    faults = [(one, "; ".join(one.faults_in_text)) for one in outcomes if one.faults_in_text]
    assert not faults, shown(faults)
    ruled = [one.release for one in outcomes if one.release is not None and "decimals" not in one.options]
    rounded = [release for release in ruled if release.in_file("a.csv")[1]]
    print(f"{len(rounded)} of {len(ruled)} releases have columns that are rounded for text")
    assert len(outcomes) == 1 or len(rounded) > len(ruled) / 2


def test_no_record_carries_more_than_half_of_the_weight_behind_a_value_that_rules_move(outcomes):
    weighted = [one for one in outcomes if one.release is not None and "weights" in one.options]
    faults = [(one, "; ".join(found)) for one in weighted if (found := _heavy(one))]
    assert not faults, shown(faults)
    joined = [one for one in weighted if one.release.plan.outcome.joined]
    assert len(outcomes) == 1 or len(joined) > 5


def test_drawn_centres_that_keep_rules_are_carried_by_and_average_k(outcomes):
    drawn = [one for one in outcomes if one.release is not None and "method" in one.options]
    few = []
    for one in drawn:
        found = one.release.plan.outcome
        alike = [one.release.data.groupby(block).size().min() for block in one.release.plan.blocks]
        if min(found.smallest_group, found.smallest_support, *alike) < one.k:
            few.append((one, f"{alike} alike"))
    assert not few, shown(few)


def test_what_is_not_released_is_refused_in_words(outcomes):
    crashes = [(one, one.crash) for one in outcomes if one.crash]
    assert not crashes, shown(crashes)


def test_what_cannot_be_kept_is_found_before_anything_is_masked(outcomes):
    about_rules = [one for one in outcomes if one.refusal and "needs positive values" not in one.refusal]
    late = [(one, one.refusal) for one in about_rules if one.explained != one.refusal]
    assert not late, shown(late)
    early = [(one, one.explained) for one in outcomes if one.explained and one.release is not None]
    assert not early, shown(early)


def test_most_tables_are_released_and_where_shoal_chooses_nearly_all(outcomes):
    if len(outcomes) < FEW:
        pytest.skip("one table is looked at alone")
    chosen = [one for one in outcomes if not {"replace", "decimals", "method", "weights"} & set(one.options)]
    released = sum(one.release is not None for one in chosen)
    assert released >= 0.95 * len(chosen), Counter(one.refusal.split('"')[0] for one in chosen)
    assert sum(one.release is not None for one in outcomes) >= 0.6 * len(outcomes)


def test_the_judge_finds_what_is_broken(outcomes):
    """Every kind of rule is found broken where a value is changed."""
    kinds: Counter[str] = Counter()
    for one in outcomes:
        changed = one.frame.copy()
        for name in changed.select_dtypes("number"):
            changed[name] = changed[name] + 1000.5
        kinds.update(rule.split()[-2] if "then" not in rule else "if" for rule in broken(changed, one.rules))
    assert len(outcomes) < FEW or {"if", "is", "<="} <= set(kinds)


def test_saxon_finds_no_record_that_breaks_a_rule(outcomes, tmp_path):
    saxon, faults = Saxon(tmp_path), []
    judged = [one for one in outcomes if one.release is not None and "decimals" not in one.options]
    for one in judged[: None if IS_LONG else BY_SAXON]:
        for rule, count in saxon.broken(one.release.data, one.rules, one.frame).items():
            if not (announced(one, rule) and misses(one.release.data, rule) <= TOLERANCE):
                faults.append((one, f"{rule}: {count} records"))
    assert not faults, shown(faults)
