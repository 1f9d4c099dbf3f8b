"""What every measure of utility promises, whatever it computes."""

from __future__ import annotations

import json
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.errors import NotApplicableError
from shoal.measure.utility.analytical_loss import analytical_loss
from shoal.measure.utility.clustering import clustering_similarity
from shoal.measure.utility.differences import (
    correlation_difference,
    covariance_difference,
    mean_difference,
    quantile_difference,
    variance_difference,
)
from shoal.measure.utility.frequencies import categories_changed, frequency_difference
from shoal.measure.utility.il1s import il1s
from shoal.measure.utility.mean_variation import mean_variation
from shoal.measure.utility.mixed_information_loss import mixed_information_loss
from shoal.measure.utility.moments import fourth_moments, third_moments
from shoal.measure.utility.probabilistic_information_loss import probabilistic_information_loss
from shoal.measure.utility.propensity import propensity
from shoal.measure.utility.subdomains import subdomain_difference

NUMERIC = [
    probabilistic_information_loss,
    il1s,
    mean_difference,
    variance_difference,
    covariance_difference,
    correlation_difference,
    quantile_difference,
    mean_variation,
    third_moments,
    fourth_moments,
    clustering_similarity,
]
OF_BOTH = [mixed_information_loss, subdomain_difference]
MEASURES = [*NUMERIC, propensity, analytical_loss, frequency_difference, categories_changed, *OF_BOTH]
# Three clusters, and subdomains of two records, so that small files have some.
OPTIONS = {clustering_similarity: {"clusters": 3}, subdomain_difference: {"least": 2}}

every_measure = pytest.mark.parametrize("measure", MEASURES, ids=lambda measure: measure.about.name)
pytestmark = pytest.mark.filterwarnings("error")


def value_of(measure, original, masked):
    """Return a value that is checked to be a number in its range with parts for JSON, or None if it does not apply."""
    try:
        value = measure(original, masked, **OPTIONS.get(measure, {}))
    except NotApplicableError as error:
        assert str(error).startswith("This measure needs")
        return None
    low, high = measure.about.range
    assert low <= value <= high * (1 + 1e-9)
    json.dumps(value.parts, allow_nan=False)
    return value


def whole_numbers(n, p):
    return st.lists(st.lists(st.integers(-3, 3), min_size=p, max_size=p), min_size=n, max_size=n)


@st.composite
def two_files(draw):
    """Small whole numbers, with ties and constant columns, means of groups in the masked file, and missing values."""
    n, p = draw(st.integers(1, 20)), draw(st.integers(1, 4))
    original, masked = (np.array(draw(whole_numbers(n, p)), dtype=float) for _ in range(2))
    if draw(st.booleans()):
        size = draw(st.integers(1, 4))
        groups = np.arange(n) // size
        masked = np.array([original[groups == g].mean(axis=0) for g in groups])
    if draw(st.booleans()):
        for file in (original, masked):
            file[np.array(draw(st.lists(st.integers(0, 5), min_size=n * p, max_size=n * p))).reshape(n, p) == 0] = (
                np.nan
            )
    names = [f"x{j}" for j in range(p)]
    first, second = pd.DataFrame(original, columns=names), pd.DataFrame(masked, columns=names)
    letters = st.lists(st.sampled_from(["a", "b", "c", None]), min_size=n, max_size=n)
    return first.assign(c=draw(letters), d=draw(letters)), second.assign(c=draw(letters), d=draw(letters))


def alike(one, other):
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(alike(one[key], other[key]) for key in one)
    if isinstance(one, float):
        return other == pytest.approx(one, rel=1e-9, abs=1e-12)
    return one == other


@every_measure
@settings(max_examples=60)
@given(files=two_files(), seed=st.integers(0, 1000), factor=st.sampled_from([0.1, 3.0, 1 / 7, 1e-5, 12345.678]))
def test_neither_the_order_of_the_records_nor_the_units_matter(measure, files, seed, factor):
    value = value_of(measure, *files)
    order = np.random.default_rng(seed).permutation(len(files[0]))
    changed = [file.iloc[order].assign(x0=file["x0"].iloc[order] * factor) for file in files]
    again = value_of(measure, *changed)
    if value is None:
        assert again is None
    else:
        assert again.value == pytest.approx(value.value, rel=1e-9, abs=1e-12)
        if "worst" not in value.parts:  # of two pairs that are equally bad it may be either
            assert alike(dict(value.parts), dict(again.parts))


@every_measure
def test_an_unchanged_file_is_as_good_as_can_be(measure):
    rng = np.random.default_rng(0)
    file = pd.DataFrame(rng.normal(size=(60, 3)) @ rng.normal(size=(3, 3))).add_prefix("x")
    file["x1"] = file["x1"].where(rng.random(60) > 0.1)
    file = file.assign(c=rng.choice(list("abc"), 60), k=1.0)
    best = measure.about.range[0] if measure.about.better == "lower" else measure.about.range[1]
    assert value_of(measure, file, file) == pytest.approx(best, abs=1e-25)


NAN = math.nan
AWKWARD = {
    "constant": ([[1.0, 1.0]] * 4, [[1.0, 1.0]] * 4),
    "made constant": ([[1.0, 4.0], [2.0, 1.0], [3.0, 7.0]], [[2.0, 4.0]] * 3),
    "constant that is changed": ([[1.0, 0.0]] * 3, [[1.0, 5.0], [2.0, 0.0], [1.0, 0.0]]),
    "one record": ([[1.0, 2.0]], [[1.0, 3.0]]),
    "two records": ([[1.0, 2.0], [2.0, 2.0]], [[1.0, 3.0], [3.0, 3.0]]),
    "all missing": ([[NAN, NAN]] * 3, [[NAN, NAN]] * 3),
    "a column all missing": ([[1.0, NAN], [2.0, NAN], [4.0, NAN]], [[1.5, NAN], [1.5, NAN], [4.0, NAN]]),
    "a column suppressed": ([[1.0, 2.0], [2.0, 5.0], [4.0, 3.0]], [[1.5, NAN], [1.5, NAN], [4.0, NAN]]),
    "never observed together": ([[1.0, NAN], [NAN, 5.0], [4.0, NAN], [NAN, 2.0]], [[1.0, 2.0]] * 4),
    "missing in other columns": ([[1.0, NAN], [2.0, NAN]], [[NAN, 1.0], [NAN, 2.0]]),
    "huge": ([[1e308, -1e308], [-1e308, 1e308], [3e307, 1.0]], [[1e308, 1e308], [-1e308, -1e308], [0.0, 1.0]]),
    "tiny": ([[1e-308, 1.0], [3e-308, 2.0], [2e-308, 3.0]], [[2e-308, 1.0], [2e-308, 2.0], [2e-308, 3.0]]),
    "tiny made huge": ([[1e-300, 1.0], [3e-300, 2.0], [2e-300, 3.0]], [[1e300, 1.0], [-1e300, 2.0], [0.0, 3.0]]),
    "far from 0": (
        [[1e15 + 1, 1.0], [1e15 + 2, 2.0], [1e15 + 4, 3.0]],
        [[1e15 + 1.5, 1.0], [1e15 + 1.5, 2.0], [1e15, 3.0]],
    ),
}


@every_measure
@pytest.mark.parametrize("what", AWKWARD)
def test_awkward_files_have_a_clear_answer(measure, what):
    original, masked = (pd.DataFrame(np.array(rows), columns=["x", "y"]) for rows in AWKWARD[what])
    value_of(measure, original, masked)
    value_of(measure, original[["x"]], masked[["x"]])
    value_of(measure, original.assign(c="a"), masked.assign(c="b"))
    value_of(measure, original.assign(c=None), masked.assign(c=None))


@every_measure
def test_a_column_that_only_one_file_has_changes_nothing(measure):
    rng = np.random.default_rng(1)
    original = pd.DataFrame(rng.normal(size=(30, 2)), columns=["x", "y"]).assign(c=rng.choice(list("ab"), 30))
    masked = original.assign(x=original["x"].round(), c=rng.choice(list("ab"), 30))
    assert value_of(measure, original.assign(z=1.0), masked) == value_of(measure, original, masked)


@pytest.mark.parametrize("measure", [m for m in MEASURES if not m.by_record], ids=lambda measure: measure.about.name)
def test_statistics_of_files_of_other_lengths_are_compared(measure):
    """Every record twice: all but the sample variances and covariances stay as they are."""
    rng = np.random.default_rng(2)
    original = pd.DataFrame(rng.normal(size=(400, 2)), columns=["x", "y"]).assign(c=rng.choice(list("ab"), 400))
    assert value_of(measure, original, pd.concat([original, original])) == pytest.approx(0, abs=0.2)
    assert value_of(measure, original, original.iloc[:5]) > 1e-4


@pytest.mark.parametrize("measure", NUMERIC, ids=lambda measure: measure.about.name)
def test_measures_of_numbers_need_numbers(measure):
    letters = pd.DataFrame({"c": list("abc")})
    with pytest.raises(NotApplicableError, match="needs a numeric variable"):
        measure(letters, letters)
