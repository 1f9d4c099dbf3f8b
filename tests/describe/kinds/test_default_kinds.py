"""The kind of a column where nobody says: from its type, from what its file knows, from its values."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import shoal
from shoal.describe.kinds.default_kinds import default_kind
from shoal.read import as_table
from shoal.read.labels import Labels
from shoal.read.tables import LABELS_IN_ATTRS
from shoal.write import write_table

N = 60


def kinds_of(labels=None, **columns):
    frame = pd.DataFrame(columns)
    if labels is not None:
        frame.attrs[LABELS_IN_ATTRS] = labels.to_plain()
    table = as_table(frame)
    kinds = {name: default_kind(table, name)[0] for name in table.names}
    return {name: kind for name, kind in kinds.items() if kind is not None}


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (np.arange(N) % 12, "nominal"),
        (np.arange(N) % 12 * 1.0, "nominal"),
        (np.where(np.arange(N) % 7 == 0, np.nan, np.arange(N) % 5), "nominal"),
        (np.arange(N) % 13, "continuous"),
        (np.arange(N) % 5 / 2, "continuous"),
        (np.arange(N) * 3, "continuous"),
        (np.where(np.arange(N) == 0, np.inf, 1.0), "continuous"),
    ],
    ids=["twelve", "as floats", "with missing values", "thirteen", "fractions", "all different", "infinite"],
)
def test_few_whole_numbers_that_repeat_are_codes(values, kind):
    assert kinds_of(x=values) == {"x": kind}


def test_few_records_make_no_codes_of_amounts():
    assert kinds_of(x=[1, 2, 3, 10, 11, 12]) == {"x": "continuous"}
    assert kinds_of(x=[1, 2, 3, 1, 2, 3]) == {"x": "nominal"}


def test_a_file_knows_best():
    many = np.arange(N) % 20
    labels = Labels(
        values={"labelled": {value: f"answer {value}" for value in range(10)}, "amount": {19: "no answer"}},
        measures={"ranked": "ordinal", "named": "nominal", "scale": "scale"},
    )
    columns = {"labelled": many, "amount": many, "ranked": many, "named": many, "scale": np.arange(N) % 3}
    assert kinds_of(labels, **columns) == {
        "labelled": "nominal",
        "amount": "continuous",
        "ranked": "ordinal",
        "named": "nominal",
        "scale": "continuous",
    }


def test_types_are_kinds():
    found = kinds_of(
        text=["a", "b"] * 30,
        truth=[True, False] * 30,
        category=pd.Categorical(np.arange(N)),
        ordered=pd.Categorical(list("lmh") * 20, categories=list("lmh"), ordered=True),
        postcode=np.arange(N) * 97 + 1000,
        day=pd.date_range("2020-01-01", periods=N),
    )
    assert found == {
        "text": "nominal",
        "truth": "nominal",
        "category": "nominal",
        "ordered": "ordinal",
        "postcode": "nominal",
    }


@pytest.mark.parametrize("ending", [".sav", ".dta"])
def test_labelled_codes_of_a_file_never_get_a_mean(tmp_path, ending):
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"sector": rng.integers(1, 20, 200), "turnover": rng.random(200)})
    labels = Labels(values={"sector": {code: f"sector {code}" for code in range(1, 20)}})
    frame.attrs[LABELS_IN_ATTRS] = labels.to_plain()
    write_table(frame, tmp_path / f"firms{ending}")
    release = shoal.protect(tmp_path / f"firms{ending}", 4)
    assert release.plan.kinds == {"sector": "nominal", "turnover": "continuous"}
    assert set(release.data["sector"]) <= set(frame["sector"])


def test_what_was_taken_for_codes_is_said_and_can_be_changed():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"children": rng.integers(0, 5, 100), "income": rng.random(100)})
    note = next(note for note in shoal.protect(frame, 4).plan.outcome.notes if "taken as codes" in note)
    assert 'children. If they are amounts, say so (--kind "children=continuous")' in note
    release = shoal.protect(frame, 4, kinds={"children": "continuous"})
    assert release.data["children"].dtype == float
    assert not any("taken as codes" in note for note in release.plan.outcome.notes)


def test_why_is_said():
    assert default_kind(as_table(pd.DataFrame({"x": [0, 1] * 9})), "x")[1] == "few whole numbers, without labels"
