"""Tables of frequencies, and categories changed."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from shoal.errors import NotApplicableError
from shoal.measure.measure import FileMeasure
from shoal.measure.pairs import pair
from shoal.measure.utility.frequencies import categories_changed, frequency_difference

ORIGINAL = pd.DataFrame({"c": list("aabb"), "d": list("xyxy"), "n": [1.0, 2, 3, 4]})


def test_frequencies_by_hand():
    """c: a 1/2 to 3/4, b 1/2 to 1/4, distance 25 %; d: as it was; together ax, ay, bx, by 1 each to 2, 1, 0, 1."""
    masked = ORIGINAL.assign(c=list("aaab"))
    found = frequency_difference(ORIGINAL, masked)
    assert found == found.one_way == pytest.approx(12.5)
    assert found.by_column == pytest.approx({"c": 25, "d": 0})
    assert found.two_way == pytest.approx(25)


def test_two_way_tables_against_pandas():
    rng = np.random.default_rng(0)
    original, masked = (
        pd.DataFrame({name: rng.choice(list("pqrs"), n, p=rng.dirichlet(np.ones(4))) for name in "abc"})
        for n in (60, 45)
    )
    expected = []
    for one, two in (("a", "b"), ("a", "c"), ("b", "c")):
        shares = [file.value_counts([one, two], normalize=True) for file in (original, masked)]
        expected.append(50 * shares[0].sub(shares[1], fill_value=0).abs().sum())
    assert frequency_difference(original, masked).two_way == pytest.approx(np.mean(expected))


def test_a_missing_value_is_a_category_of_its_own():
    masked = ORIGINAL.assign(c=["a", "a", "b", None])
    found = frequency_difference(ORIGINAL, masked, columns=["c"])
    assert found == pytest.approx(25)
    assert found.two_way is None
    assert frequency_difference(masked, masked) == 0


def test_shuffled_categories_keep_their_frequencies_but_not_their_places():
    masked = ORIGINAL.assign(c=list("bbaa"))
    assert frequency_difference(ORIGINAL, masked) == 0
    found = categories_changed(ORIGINAL, masked)
    assert found == pytest.approx(50)
    assert found.by_column == {"c": 100, "d": 0}


def test_a_category_that_was_suppressed_is_changed():
    original = ORIGINAL.assign(c=["a", None, "b", "b"])
    found = categories_changed(original, ORIGINAL.assign(c=["b", "a", None, "b"]))
    assert found.by_column == {"c": pytest.approx(200 / 3), "d": 0}
    assert found == pytest.approx(200 / 7) and found.suppressed == 1


def test_numbers_that_are_said_to_be_categories():
    codes = pd.DataFrame({"x": [1, 1, 2, 3]})
    files = pair(codes, codes.assign(x=[1, 2, 2, 2]), kinds={"x": "nominal"})
    assert frequency_difference.of(files) == pytest.approx(50)
    assert categories_changed.of(files) == pytest.approx(50)


@pytest.mark.parametrize("measure", [frequency_difference, categories_changed])
def test_categories_are_needed(measure: FileMeasure):
    with pytest.raises(NotApplicableError, match="needs a categorical column"):
        measure(ORIGINAL[["n"]], ORIGINAL[["n"]])


def test_a_cell_is_needed():
    with pytest.raises(NotApplicableError, match="a categorical cell"):
        categories_changed(pd.DataFrame({"c": [None, None]}, dtype=str), pd.DataFrame({"c": [None, "a"]}))
