"""Correlations before and after, as far as they may be seen."""

from __future__ import annotations

import numpy as np
import pandas as pd

from shoal.read import as_table
from shoal.report.facts.correlations import MOST_CORRELATED, correlations_of


def test_correlations_are_those_of_pandas(census):
    found = census.summary("internal").correlations
    for matrix, frame in ((found.original, census.release.original), (found.masked, census.release.masked)):
        expected = frame.to_native()[found.columns].corr().to_numpy()
        np.testing.assert_allclose(np.array(matrix), expected, atol=5.1e-5)
    np.testing.assert_allclose(found.difference, np.array(found.masked) - np.array(found.original), atol=2e-4)


def test_there_are_none_of_few_records_and_of_one_variable():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(20, MOST_CORRELATED + 2))).rename(columns=str)
    table = as_table(frame)
    found = correlations_of(table, table, table.names, fewest=1, internal=False)
    assert found.columns == table.names[:MOST_CORRELATED] and found.original is None
    assert all(value == round(value, 2) for row in found.masked for value in row)
    assert correlations_of(table, table, table.names, fewest=21, internal=False) is None
    assert correlations_of(table, table, ["0"], fewest=1, internal=True) is None
