"""How variables are distributed: every record counted, categories called what the file calls them."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.report.facts.shapes import shape_of_amounts, shape_of_categories


def test_every_amount_is_in_a_bin_and_no_bin_is_too_small():
    rng = np.random.default_rng(1)
    masked, original = rng.lognormal(size=500), rng.lognormal(size=480)
    shape = shape_of_amounts([masked, original], 1)
    assert sum(shape.masked) == pytest.approx(1) == sum(shape.original)
    assert min(shape.edges) > original.min() and max(shape.edges) < max(original.max(), masked.max())
    public = shape_of_amounts([masked], 7)
    assert public.original is None
    assert all(share == 0 or share >= 7 / 500 for share in public.masked)
    assert shape_of_amounts([np.full(3, np.nan)], 1) is None


def test_codes_are_called_by_their_labels():
    codes = np.array(["1", "1", "1", "2", "2", "9"])
    shape = shape_of_categories([codes], {1.0: "male", 2: "female", "9": ""}, 1)
    assert shape.categories == ["male (1)", "female (2)", "9"]
    assert shape.masked == pytest.approx([3 / 6, 2 / 6, 1 / 6])
    assert shape_of_categories([np.array(["a", "b"])], {"a": "yes"}, 1).categories == ["yes (a)", "b"]


def test_rare_categories_stand_together_if_need_be_with_the_last_that_is_not():
    codes = np.array([*"aaaaabbbbcd"])
    assert shape_of_categories([codes], {}, 2).categories == ["a", "b", "2 more"]
    together = shape_of_categories([codes], {}, 3)
    assert together.categories == ["a", "3 more"]
    assert together.masked == pytest.approx([5 / 11, 6 / 11])


def test_a_column_without_any_value_has_no_categories_to_draw():
    assert shape_of_categories([np.array([], dtype=str)], {"a": "yes"}, 3) is None
    assert shape_of_categories([np.array([], dtype=str), np.array(["a"])], {}, 1).masked == [0.0]


def test_where_both_files_are_shown_no_category_is_rare_in_either():
    masked, original = np.array([*"aaaaabbbbb"]), np.array([*"aaaaaabbcd"])
    shape = shape_of_categories([masked, original], {}, 2)
    assert shape.categories == ["a", "3 more"]  # c and d are not in the masked file, and b has to stand with them
    assert (shape.masked, shape.original) == (pytest.approx([0.5, 0.5]), pytest.approx([0.6, 0.4]))
    exact = shape_of_categories([masked, original], {}, 1)
    assert exact.categories == ["a", "b", "c", "d"]
