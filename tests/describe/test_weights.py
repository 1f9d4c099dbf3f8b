"""Weights that single records out are warned of."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import shoal
from shoal.errors import DisclosureWarning, MissingValuesError
from unchanged_columns import protect_part


def table(weights) -> pd.DataFrame:
    rng = np.random.default_rng(2)
    values = rng.normal(size=(100, 2))
    return pd.DataFrame({"a": values[:, 0], "b": values[:, 1], "town": rng.choice(list("xyz"), 100), "w": weights})


def test_weights_that_no_other_record_has_are_counted_alone_and_beside_other_columns():
    frame = table(np.repeat(np.arange(1.0, 51.0), 2))
    frame.loc[:9, "w"] = np.arange(10) + 100.5
    alone = int((frame.groupby("w")["w"].transform("size") == 1).sum())
    together = int((frame.groupby(["town", "w"])["w"].transform("size") == 1).sum())
    message = f'{alone} of 100 have a weight in "w" that no other record has, and {together} one together with'
    assert 5 < alone < together
    with pytest.warns(DisclosureWarning, match=message):
        protect_part(frame, 3, columns=["a", "b"], weights="w")


@pytest.mark.parametrize("weights", [np.ones(100), [*range(1, 6), *[9.5] * 95]], ids=["equal", "five"])
def test_a_few_weights_of_their_own_are_not_warned_of(weights, recwarn):
    shoal.protect(table(weights), 3, columns=["a", "b"], weights="w")
    assert not [one for one in recwarn if "single records out" in str(one.message)]


def test_missing_weights_are_refused_with_what_to_do():
    with pytest.raises(
        MissingValuesError, match=r"Every record needs a weight\. Fill them, or leave those records out"
    ):
        protect_part(table([np.nan, *np.ones(99)]), 3, columns=["a", "b"], weights="w")
