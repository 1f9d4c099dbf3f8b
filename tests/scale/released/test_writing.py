"""New ids of units, and the order that rows leave in, are permutations that only a key gives."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.scale.random_order import Leaving, drawn_numbers, part_of
from shoal.scale.released.writing import new_unit_ids

NO_ROWS = np.zeros(0, np.int64)


@pytest.mark.parametrize("units", [1, 2, 3, 4, 5, 16, 17, 1_000, 65_536, 70_001])
def test_new_ids_are_a_permutation_that_can_be_asked_for_in_any_order(units):
    ids = new_unit_ids(np.arange(units), units, "a key")
    assert sorted(ids.tolist()) == list(range(1, units + 1))
    some = np.random.default_rng(0).integers(0, units, 50)
    assert (new_unit_ids(some, units, "a key") == ids[some]).all()


def test_new_ids_depend_on_the_key_and_not_on_the_order():
    one, other = (new_unit_ids(np.arange(5_000), 5_000, key) for key in ("one", "other"))
    assert (one == other).mean() < 0.01
    assert abs(np.corrcoef(np.arange(5_000), one)[0, 1]) < 0.06


def test_drawn_numbers_of_a_row_do_not_depend_on_the_rows_beside_it():
    rows = np.arange(60_000, 140_000)  # over more than one page
    drawn = drawn_numbers("a key", rows)
    mixed = np.random.default_rng(1).permutation(len(rows))[:500]
    assert (drawn_numbers("a key", rows[mixed]) == drawn[mixed]).all()
    assert len(set(drawn.tolist())) == len(rows)
    assert (drawn_numbers("another", rows) == drawn).sum() == 0


@pytest.mark.parametrize("key", ["a key", ""])
def test_every_row_leaves_in_one_part(key):
    leaving = Leaving(key, 7, 10_000, NO_ROWS)
    parts = leaving.part(np.arange(10_000))
    sizes = np.bincount(parts, minlength=7)
    assert sizes.sum() == 10_000
    assert len(sizes) == 7
    assert abs(sizes - 10_000 / 7).max() < 6 * np.sqrt(10_000 / 7)
    order = np.lexsort((leaving.place(np.arange(10_000)), parts))
    assert (order.tolist() == list(range(10_000))) == (key == "")


def test_parts_have_equal_chances():
    drawn = np.random.default_rng(2).integers(0, 2**64, 30_000, dtype=np.uint64)
    assert abs(np.bincount(part_of(drawn, 3)) - 10_000).max() < 500
