"""Categories of the whole file from those of its chunks: the same however it was cut, and no order made up."""

from __future__ import annotations

from itertools import permutations

import pyarrow as pa
import pytest

from shoal.errors import ReadError
from shoal.scale.input.category_orders import joined_orders, orders_in


def table(*dictionaries: str, ordered: bool = False) -> pa.Table:
    """Return a column in pieces, each with categories of its own."""
    kind = pa.dictionary(pa.int32(), pa.string(), ordered=ordered)
    pieces = [
        pa.DictionaryArray.from_arrays(pa.array([0], pa.int32()), pa.array(list(own)), ordered=ordered)
        for own in dictionaries
    ]
    return pa.table({"c": pa.chunked_array(pieces, kind), "v": range(len(pieces))})


def joined(*chunks: pa.Table) -> tuple[list[str], bool]:
    return joined_orders([orders_in(one) for one in chunks])["c"]


def test_categories_without_an_order_are_those_of_all_parts_however_they_are_cut():
    """Parts are often written with the categories in the order in which they occur."""
    found = [joined(*(table(own) for own in parts)) for parts in permutations(["cb", "bc", "zab"])]
    found += [joined(table("cb", "bc"), table("zab")), joined(table("cb"), table("bc", "zab", "zab"))]
    assert found == [(["a", "b", "c", "z"], False)] * len(found)


@pytest.mark.parametrize("ordered", [True, False])
def test_categories_that_all_parts_share_stay_in_their_order(ordered):
    assert joined(table("zab", ordered=ordered), table("zab", "zab", ordered=ordered)) == (["z", "a", "b"], ordered)


def test_an_order_that_means_something_is_kept_and_never_made_up():
    assert joined(table("zb", ordered=True), table("zab", ordered=True)) == (["z", "a", "b"], True)
    with pytest.raises(ReadError, match="different orders"):
        joined(table("zb", ordered=True), table("abz", ordered=True))
