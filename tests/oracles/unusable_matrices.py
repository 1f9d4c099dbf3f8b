"""Matrices that no estimator can use, and how they are refused: in one line, without a value of theirs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from shoal.errors import DataError

NUMBER, TEXT = 98765.5, "secret"

UNUSABLE = {
    "one dimension": np.full(9, NUMBER),
    "a list of numbers": [NUMBER] * 9,
    "a single number": NUMBER,
    "text": [[TEXT]] * 9,
    "text in one dimension": [TEXT] * 9,
    "a column of text": pd.DataFrame({"a": [NUMBER] * 9, "b": [TEXT] * 9}),
    "categories": pd.DataFrame({"a": pd.Categorical([TEXT] * 9)}),
    "complex numbers": np.full((9, 2), NUMBER + 1j),
    "records of different lengths": [[NUMBER, NUMBER], [NUMBER]] * 5,
}

every_unusable_matrix = pytest.mark.parametrize("X", UNUSABLE.values(), ids=UNUSABLE)


def assert_refused_without_values(refuse: Callable[[Any], object], X: Any) -> None:
    """Check that a call refuses a matrix with a DataError of one line that has no value of it."""
    with pytest.raises(DataError) as caught:
        refuse(X)
    message = str(caught.value)
    assert "X must be" in message
    assert "\n" not in message
    assert TEXT not in message
    assert "98765" not in message
    assert "9.8765" not in message
