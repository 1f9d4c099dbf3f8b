"""What a refusal of categories within advises: whoever follows it gets the numbers that it says."""

from __future__ import annotations

import re
from collections import Counter, defaultdict

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.errors import TooFewRecordsError
from shoal.read import as_table
from shoal.recode.recoded_table import recoded_table

pytestmark = pytest.mark.filterwarnings("ignore::shoal.errors.ShoalWarning")

NAMES = ["region", "water", "code"]
KINDS = {"region": "nominal", "water": "nominal", "code": "ordinal", "income": "continuous"}


def skewed(seed: int, records: int, units: int = 0) -> pd.DataFrame:
    """Draw three columns of categories, of which a few are frequent and many rare; ties, and one called "other"."""
    rng = np.random.default_rng(seed)
    often = rng.choice([0.5, 1.0, 2.0])

    def drawn(values: list[object]) -> np.ndarray:
        share = 1 / np.arange(1, len(values) + 1) ** often
        return np.array(values, dtype=object)[rng.choice(len(values), records, p=share / share.sum())]

    frame = pd.DataFrame({"region": drawn(["N", "S", "E"]), "water": drawn(["tap", None, "other", *"abcdefg"])})
    frame["code"] = drawn([10, 2, 9, 1, 30, 4]).astype(int)
    frame["income"] = rng.lognormal(3, 1, records).round(2)
    if units:
        frame["hid"] = rng.integers(0, units, records)
    return frame


def below(frame: pd.DataFrame, k: int) -> int:
    """Count the records whose combination fewer than k records, or units, have; a missing value is a category."""
    rows = list(zip(*(frame[name].astype(object).where(frame[name].notna(), None) for name in NAMES), strict=True))
    behind = defaultdict(set)
    for row, unit in zip(rows, frame["hid"] if "hid" in frame else range(len(frame)), strict=True):
        behind[row].add(unit)
    return sum(count for row, count in Counter(rows).items() if len(behind[row]) < k)


def advised(message: str) -> tuple[list[tuple[str, str, int]], dict[str, str]]:
    """Return the recodes that a message names with the records that each leaves, and the words of its categories."""
    found = re.findall(r'--recode "(\w+)=([^"]+)"(?: --kind "\w+=nominal")?(?: leaves| too,) ([\d,]+|none)', message)
    merges = [(name, text, 0 if left == "none" else int(left.replace(",", ""))) for name, text, left in found]
    words = re.search(r'--categories "([^"]+)"', message)
    return merges, dict(pair.split("=") for pair in words[1].split(","))


def refused(frame: pd.DataFrame, k: int, **options: object) -> str:
    within = dict.fromkeys(NAMES, "within")
    settings_of = {"kinds": KINDS, "categories": within, "seed": 1, "missing": "keep"} | options
    try:
        shoal.protect(frame, k, **settings_of)
    except TooFewRecordsError as error:
        return str(error)
    return ""


@settings(max_examples=25)
@given(seed=st.integers(0, 10**6), k=st.integers(2, 12))
def test_whoever_follows_the_advice_gets_what_it_says(seed, k):
    frame = skewed(seed, 300)
    message = refused(frame, k)
    assert bool(message) == bool(below(frame, k))
    if not message:
        return
    merges, words = advised(message)
    recodes: dict[str, list[str]] = {}
    kinds, left = dict(KINDS), below(frame, k)
    for name, text, said in merges:
        recodes[name], kinds[name] = [text], "nominal"
        recoded = recoded_table(as_table(frame), recodes, k=k).table
        assert below(pd.DataFrame({one: recoded.cells(one) for one in NAMES}), k) == said < left
        left = said
        again = refused(frame, k, recodes=recodes, kinds=kinds)
        assert (f"({said:,} record{'s' * (said != 1)})" in again) if said else again == ""
    # Columns left to suppress are for what merges leave; where these leave nothing, instead of them.
    assert refused(frame, k, recodes=recodes if left else None, kinds=kinds if left else KINDS, categories=words) == ""
    assert ("For the rest" in message) == bool(merges and left)


@pytest.mark.parametrize("seed", range(4))
def test_with_units_merges_are_counted_in_units(seed):
    frame = skewed(seed, 400, units=60)
    message = refused(frame, 4, unit="hid")
    merges, _ = advised(message)
    assert merges
    recodes: dict[str, list[str]] = {}
    for name, text, said in merges:
        recodes[name] = [text]
        recoded = recoded_table(as_table(frame), recodes, k=4).table
        made = pd.DataFrame({one: recoded.cells(one) for one in NAMES}).assign(hid=frame["hid"])
        assert below(made, 4) == said


def test_the_merge_named_is_the_one_that_leaves_fewest_records():
    """Of all numbers of records that are tried, for the first merge, by making every one."""
    frame, k = skewed(8, 400), 5
    merges, _ = advised(refused(frame, k))
    lefts = []
    for name in NAMES:
        for rare in (k * step * 10**power for power in range(3) for step in (1, 2, 5)):
            made = recoded_table(as_table(frame), {name: [f"merge:rare={rare}"]}, k=k).table
            if len({cell for cell in made.cells(name) if cell is not None}) > 1:
                lefts.append(below(pd.DataFrame({one: made.cells(one) for one in NAMES}), k))
    assert merges[0][2] == min(lefts)


def test_a_merge_comes_after_the_recodes_that_a_column_has():
    """In a job, a recode of the command line takes the place of the job's: following the advice needs both."""
    frame = skewed(8, 400)
    merges, _ = advised(refused(frame, 5))
    name = merges[0][0]
    finer = {name: ["merge:rare=2"]}
    message = refused(frame, 5, recodes=finer)
    found = re.search(rf'--recode "{name}=(\S+)" \(after merge, not instead\) leaves (\d+) record', message)
    assert found
    again = refused(frame, 5, recodes={name: [*finer[name], found[1]]})
    assert f"({found[2]} record" in again


def test_where_no_merge_helps_it_says_so():
    frame = pd.DataFrame({"region": ["N"] * 9 + ["S"], "income": np.arange(10.0) + 0.5})
    with pytest.raises(TooFewRecordsError, match=r"\(1 record\)\. Merging .* does not help\. Leave region"):
        shoal.protect(frame, 2, kinds={"region": "nominal"}, categories={"region": "within"})
