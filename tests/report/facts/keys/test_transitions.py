"""The matrices in the facts are those by which PRAM drew, in the order of the categories that are named."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

import shoal
from shoal.replace import PRAM
from shoal.report.facts.keys.transitions import transition_facts


def table(records: int = 300) -> pd.DataFrame:
    rng = np.random.default_rng(9)
    words = rng.choice(["a", "b", "c", "d"], records, p=[0.5, 0.3, 0.15, 0.05])
    sizes = pd.Categorical(rng.choice(["s", "m", "l"], records), categories=["s", "m", "l"], ordered=True)
    frame = pd.DataFrame({"word": words, "size": sizes, "area": rng.choice(["x", "y"], records)})
    frame["weight"] = rng.integers(1, 20, records).astype(float)
    frame.loc[::17, "word"] = None
    return frame


@pytest.fixture
def drawn(monkeypatch) -> list[np.ndarray]:
    """The matrices that are computed while a table is protected."""
    made: list[np.ndarray] = []
    own = PRAM.transition

    def recorded(self, *given, **options):
        made.append(own(self, *given, **options))
        return made[-1]

    monkeypatch.setattr(PRAM, "transition", recorded)
    return made


def protected(**options) -> shoal.Release:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return shoal.protect(table(), 3, missing="keep", seed=1, **options)


NAMED = PRAM(matrix=[[0.9, 0.1, 0, 0], [0, 0.5, 0.5, 0], [0, 0, 1, 0], [0.2, 0, 0, 0.8]], categories=list("dcba"))


@pytest.mark.parametrize(
    "options",
    [
        {"columns": ["word", "size"], "replace": "pram:pd=0.6"},
        {"columns": ["word", "size"], "replace": "pram:neighbours=true", "weights": "weight"},
        {"columns": ["word", "size"], "replace": "pram", "strata": "area"},
        {"columns": ["word"], "replace": NAMED, "strata": "area"},
    ],
)
def test_the_matrices_are_those_that_were_drawn_by(drawn, options):
    release = protected(**options)
    used = list(drawn)
    facts = transition_facts(release.plan, release.recoded)
    strata = 2 if "strata" in options else 1
    assert len(facts) == len(options["columns"]) * strata
    by_name = sorted(facts, key=lambda one: options["columns"].index(one.column))
    left = [matrix.tolist() for matrix in used]
    for one in by_name:
        assert one.matrix in left
        left.remove(one.matrix)
        np.testing.assert_allclose(np.sum(one.matrix, axis=1), 1)
    assert {tuple(one.stratum) for one in facts} == ({("x",), ("y",)} if strata == 2 else {()})


def test_categories_are_named_in_their_order():
    facts = transition_facts((release := protected(columns=["word", "size"], replace="pram")).plan, release.recoded)
    assert {one.column: one.categories for one in facts} == {"word": ["a", "b", "c", "d"], "size": ["s", "m", "l"]}


def test_the_released_frequencies_are_expected_by_the_matrix():
    """By chances that are not invariant, frequencies move to T P; over many seeds they come near."""
    frame = table()
    counts = np.zeros(4)
    for seed in range(40):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            release = shoal.protect(
                frame, 3, columns=["word"], replace="pram:invariant=false,pd=0.5", missing="keep", seed=seed
            )
        counts += release.data["word"].value_counts().reindex(list("abcd"), fill_value=0).to_numpy() / 40
    (one,) = transition_facts(release.plan, release.recoded)
    before = frame["word"].value_counts().reindex(one.categories).to_numpy()
    np.testing.assert_allclose(counts, before @ np.array(one.matrix), atol=4)


def test_a_column_that_another_step_changes_has_none():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        release = shoal.protect(table().dropna(), 3, columns=["word"], replace="pram", seed=1)
        further = release.then(columns=["size"], replace="pram")
        assert [one.column for one in transition_facts(further.plan, further.recoded)] == ["word", "size"]
        twice = release.then(columns=["word"], replace="pram")
    assert transition_facts(twice.plan, twice.recoded) == []
