"""Indicators of categories beside those in memory: `replace.synthetic.indicators` is the reference."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from shoal.errors import DataError
from shoal.replace.synthetic.indicators import indicators, pooled
from shoal.scale.iterated.numbers import indicators_of


@pytest.mark.parametrize("sizes", [[10, 12, 30], [2, 3, 12, 30], [1, 12, 30], [4, 3], [40]])
def test_indicators_tell_apart_what_they_do_in_memory(sizes):
    codes = np.repeat(np.arange(len(sizes)), sizes)
    found = indicators_of("region", Counter(codes.tolist()), 5)
    ours = [found.places.get(code, -1) for code in codes.tolist()]
    expected = indicators(pooled(codes, 5))
    assert found.width == expected.shape[1]
    assert len(np.unique(np.column_stack([ours, expected]), axis=0)) == found.width + 1


def test_too_many_categories_are_refused():
    with pytest.raises(DataError, match='"town" has 1001 categories of at least k=2 records'):
        indicators_of("town", Counter(dict.fromkeys(range(1001), 2)), 2)
