"""HAC of mixed records makes the merges it is defined by, with texts compared by Levenshtein's distance."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from command_line import run_shoal
from oracles.slow_hac import slow_hac, textbook_levenshtein
from shoal.errors import DataError, MethodError, ParameterError
from shoal.partition import HAC, HACMixed, hac
from shoal.partition.hac import text_distances

LINKAGES = ("single", "complete", "average", "centroid", "minimum-energy")
THE_REST = [
    {"cap": cap, "priority": priority, "completion": completion}
    for cap, priority, completion in itertools.product(("k", "2k-1"), (0.0, 1.0), ("thesis", "nearest"))
]
LEVENSHTEIN = "hac:distance=levenshtein"


def fitted(records, **parameters):
    """Return the labels of records of texts, truth values and numbers, of which codes are made first."""
    columns, nominal, texts = [], [], {}
    for place, column in enumerate(zip(*records, strict=True)):
        if isinstance(column[0], str | bool):
            nominal.append(place)
            values, column = np.unique(column, return_inverse=True)
            if values.dtype.kind == "U":
                texts[place] = {3 * code: str(text) for code, text in enumerate(values)}
                column = column * 3  # any numbers will do
        columns.append(np.asarray(column, dtype=float))
    return HACMixed(nominal=nominal, texts=texts, **parameters).fit(np.column_stack(columns)).labels_


some_text = st.text("abAé\u0301語😀 ", max_size=9)


@settings(max_examples=100)
@given(st.lists(some_text, min_size=1, max_size=8))
def test_distances_between_texts_are_those_of_the_textbook(texts):
    matrix = text_distances(texts)
    for (i, one), (j, other) in itertools.product(enumerate(texts), repeat=2):
        assert matrix[i, j] == textbook_levenshtein(one, other) / max(len(one), len(other), 1)


def test_distances_between_texts_that_everybody_knows():
    assert text_distances(["kitten", "sitting", "", "Saturday", "Sunday"])[[0, 3, 0], [1, 4, 2]].tolist() == [
        *(3 / 7, 3 / 8, 1.0)
    ]


@st.composite
def tied_records(draw):
    """Records with duplicates and equal distances in plenty; sums of their distances are exact. And a k for them."""
    # Texts whose lengths are powers of two, and numbers that are eighths.
    words = st.sampled_from(["", "a", "ab", "ba", "abba", "bbaa", "abbaabba", "é", "éa", "語語"])
    kinds = [words, st.booleans(), st.integers(0, 8).map(lambda eighths: eighths / 8)]
    chosen = draw(st.lists(st.sampled_from(kinds), min_size=1, max_size=3))
    different = draw(st.lists(st.tuples(*chosen), min_size=1, max_size=12))
    n = draw(st.integers(3, 18))
    return [draw(st.sampled_from(different)) for _ in range(n)], draw(st.integers(2, min(n, 6)))


@pytest.mark.parametrize("linkage", LINKAGES)
@settings(max_examples=15)
@given(records=tied_records())
def test_labels_are_those_of_plain_loops(linkage, records):
    X, k = records
    for rest in THE_REST:
        parameters = {"k": k, "linkage": linkage, **rest}
        expected = slow_hac(X, distance="levenshtein", **parameters)
        assert np.array_equal(fitted(X, **parameters), expected), parameters


@pytest.mark.parametrize("linkage", LINKAGES)
def test_codes_alone_are_grouped_as_by_hamming(linkage):
    X = np.random.default_rng(3).integers(0, 4, size=(60, 3)).astype(float)
    for k, completion in itertools.product((2, 5), ("nearest", "thesis")):
        rest = {"linkage": linkage, "completion": completion}
        labels = HACMixed(k, nominal=(0, 1, 2), **rest).fit(X).labels_
        assert np.array_equal(labels, HAC(k, distance="hamming", **rest).fit(X).labels_)
    trees = (
        HACMixed(4, cap="none", linkage=linkage, nominal=(0, 1, 2)),
        HAC(4, cap="none", linkage=linkage, distance="hamming"),
    )
    mixed, plain = (one.fit(X) for one in trees)
    assert np.array_equal(mixed.children_, plain.children_) and np.array_equal(mixed.distances_, plain.distances_)
    assert np.array_equal(mixed.labels_, plain.labels_)


def test_similar_texts_come_together():
    occupations = ["nurse", "nurse (night)", "nurses", "truck driver", "bus driver", "taxi driver"]
    assert fitted([(one,) for one in occupations], k=3).tolist() == [0, 0, 0, 1, 1, 1]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"texts": {0: {0: "a", 1: "b"}}}, "positions that are in nominal"),
        ({"nominal": (0,), "texts": {0: {0: "a"}}}, "a text for every code"),
        ({"nominal": (2,)}, "nominal must hold positions"),
    ],
)
def test_texts_that_do_not_fit_are_refused(parameters, message):
    with pytest.raises(ParameterError, match=message):
        HACMixed(2, **parameters).fit(np.array([[0.0, 1], [1, 1], [0, 2], [1, 2]]))


def test_a_matrix_has_no_texts():
    with pytest.raises(MethodError, match="needs the texts"):
        HAC(2, distance="levenshtein").fit(np.zeros((4, 1)))


def test_too_many_records_are_refused_before_memory_is_asked_for():
    with pytest.raises(MethodError, match=r"10,000 at most; got 10,001.*mdav"):
        HACMixed(3).fit(np.zeros((10_001, 1)))


def test_values_that_cannot_be_summed_are_refused():
    with pytest.raises(DataError, match="Scale the columns"):
        HACMixed(2).fit(np.array([[0.0], [1e300], [2.0], [3.0]]))


def test_too_many_characters_are_refused_in_one_line_that_says_how_many(monkeypatch):
    monkeypatch.setattr(hac, "_MOST_CHARACTERS", 11)
    assert text_distances(["abcdef", "abcde"])[0, 1] == 1 / 6
    with pytest.raises(MethodError, match=r"^[^\n]* 11 characters together; the 3 different texts .* have 12\.[^\n]*$"):
        text_distances(["abcdef", "abcde", "a"])


@pytest.fixture
def people() -> pd.DataFrame:
    rng = np.random.default_rng(4)
    words = ["nurse", "nurse (night)", "nurses", "bus driver", "truck driver", "teacher", "head teacher", "Lehrkräfte"]
    return pd.DataFrame(
        {
            "occupation": rng.choice(words, 90),
            "employed": rng.random(90) < 0.8,
            "age": rng.integers(18, 80, 90),
            "grade": pd.Categorical(rng.choice(["low", "mid", "high"], 90), ["low", "mid", "high"], ordered=True),
        }
    )


COLUMNS = ["occupation", "employed", "age", "grade"]


def test_a_mixed_table_is_grouped_by_texts_codes_ranks_and_shares_of_the_range(people):
    release = shoal.protect(people, k=3, columns=COLUMNS, method=LEVENSHTEIN, seed=1)
    ages, grades = people["age"], people["grade"].cat.codes
    records = zip(
        *(people["occupation"], people["employed"].map(bool)),
        *((ages - ages.min()) / (ages.max() - ages.min()), grades / 2),
        strict=True,
    )
    labels = release.partitions[0].labels
    assert np.array_equal(labels, fitted(list(records), k=3))
    assert {name: written["name"] for name, written in release.plan.replace.items()} == {
        "occupation": "mode",
        "employed": "mode",
        "age": "mean",
        "grade": "median",
    }
    occupations, released = people["occupation"], release.data["occupation"]
    for group in range(labels.max() + 1):
        counts = occupations[labels == group].value_counts()
        assert counts[released[labels == group].iloc[0]] == counts.max()


def test_other_than_hamming_it_sees_how_texts_differ(people):
    # There are about eleven of every occupation, so that at k = 20 some have to come together.
    by_text = shoal.protect(people[["occupation"]], k=20, method=LEVENSHTEIN, seed=1)
    by_code = shoal.protect(people[["occupation"]], k=20, method="hac:distance=hamming", seed=1)

    def changed_by(release):
        pairs = zip(people["occupation"], release.data["occupation"], strict=True)
        return math.fsum(textbook_levenshtein(old, new) for old, new in pairs)

    assert changed_by(by_text) < changed_by(by_code)


def test_groups_stay_within_strata_and_constant_texts_do_no_harm(people):
    people["country"] = "here"
    with pytest.warns(shoal.errors.DescriptionWarning, match="country"):
        frame = people[["occupation", "country", "employed"]]
        release = shoal.protect(frame, 3, strata="employed", method=LEVENSHTEIN)
    assert (people["employed"].groupby(release.partitions[0].labels).nunique() == 1).all()
    with pytest.warns(shoal.errors.DescriptionWarning, match="country"):
        alone = shoal.protect(people[["country", "age"]], k=3, method=LEVENSHTEIN)
    assert alone.partitions[0].k >= 3


def test_numbers_alone_and_missing_values_are_refused_in_one_line(people):
    with pytest.raises(MethodError, match=r"^[^\n]*compares texts; all variables here are continuous[^\n]*$"):
        shoal.protect(people, k=3, columns=["age"], method=LEVENSHTEIN)
    people.loc[4, "occupation"] = None
    with pytest.raises(MethodError, match=r'^[^\n]*have missing values[^\n]* "mdav"[^\n]*$'):
        shoal.protect(people, k=3, columns=COLUMNS, method=LEVENSHTEIN, missing="keep")


def test_the_command_takes_it_and_its_plan_gives_the_same_again(people, tmp_path):
    shoal.write_table(people, tmp_path / "data.csv")
    options = ["--columns", "occupation,age", "--method", LEVENSHTEIN, "-o", "masked.csv"]
    ran = run_shoal("protect", "-k", "3", *options, "data.csv", cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    masked = pd.read_csv(tmp_path / "masked.csv")
    assert masked.groupby(["occupation", "age"]).size().min() >= 3
    plan = next(tmp_path.glob("*.toml"))
    first = (tmp_path / "masked.csv").read_bytes()
    again = run_shoal("protect", "--plan", plan.name, "-o", "again.csv", cwd=tmp_path)
    assert again.returncode == 0, again.stderr
    assert (tmp_path / "again.csv").read_bytes() == first
