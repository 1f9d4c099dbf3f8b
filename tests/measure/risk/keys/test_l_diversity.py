"""Diversity of confidential variables in classes of keys: by its definition, and beside sdcMicro."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles.slow_closeness import agree, slow_diversity
from shoal.errors import ColumnError, NotApplicableError, ParameterError
from shoal.measure import l_diversity

KEYS = ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex"]


def test_testdata_beside_sdcmicro(reference_data):
    """sdcMicro 5.8.1, `ldiversity(..., ldiv_index = "hhcivil")`: 2,466 records are below 2."""
    diversity = l_diversity(reference_data("testdata.csv"), KEYS, "hhcivil")
    assert diversity.violators(2) == 2466
    assert diversity == 1 and len(diversity.by_record) == 4580
    assert diversity.by_column == {"hhcivil": 1.0}


@given(
    rows=st.lists(
        st.tuples(
            st.sampled_from([None, "a", "b"]), st.sampled_from([None, "x", "y"]), st.sampled_from([None, *"pqrs"])
        ),
        min_size=1,
        max_size=20,
    ),
    kind=st.sampled_from(["distinct", "entropy", "recursive"]),
    missing=st.sampled_from(["category", "wildcard"]),
    c=st.sampled_from([0.5, 1, 2, 3.5]),
)
def test_it_is_what_the_definition_says(rows, kind, missing, c):
    frame = pd.DataFrame(rows, columns=["u", "v", "s"], dtype=object)
    if frame["s"].isna().all():
        with pytest.raises(NotApplicableError, match='"s"'):
            l_diversity(frame, ["u", "v"], "s", kind, c=c, missing=missing)
        return
    expected = [
        slow_diversity([other[2] for other in rows if agree(one[:2], other[:2], missing)], kind, c) for one in rows
    ]
    expected = [math.nan if one is None else one for one in expected]
    diversity = l_diversity(frame, ["u", "v"], "s", kind, c=c, missing=missing)
    np.testing.assert_allclose(diversity.by_record, expected, rtol=1e-12)
    assert diversity == np.nanmin(diversity.by_record)
    for least in (1, 2, 3):
        assert diversity.violators(least) == sum(one < least for one in diversity.by_record)


def test_several_confidential_variables_give_the_smallest():
    frame = pd.DataFrame({"k": list("aabb"), "s": list("pqpq"), "t": list("xxxy")})
    diversity = l_diversity(frame, "k", ["s", "t"])
    assert diversity.by_column == {"s": 2.0, "t": 1.0}
    assert diversity.by_record.tolist() == [1, 1, 2, 2]


def test_what_does_not_fit_is_refused():
    frame = pd.DataFrame({"k": list("aabb"), "s": list("pqpq")})
    with pytest.raises(ColumnError, match='no column "key"'):
        l_diversity(frame, ["key"], "s")
    with pytest.raises(ColumnError, match="more than once"):
        l_diversity(frame, ["k", "k"], "s")
    with pytest.raises(ParameterError, match="at least one"):
        l_diversity(frame, [], "s")
    with pytest.raises(ParameterError, match="kind"):
        l_diversity(frame, ["k"], "s", kind="unique")
    with pytest.raises(ParameterError, match="c must"):
        l_diversity(frame, ["k"], "s", kind="recursive", c=0)
