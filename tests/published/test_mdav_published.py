"""MDAV gives the values published for the CASC reference files, to the last digit printed.

Sums of squared errors of Census: the MDAV columns of the tables in J. Alarte Aleixandre, "Application of Clustering
Techniques to Privacy Protection", Universitat Oberta de Catalunya, 2018. Information loss in percent: the values
of MDAV that the literature on microaggregation quotes since Domingo-Ferrer and Mateo-Sanz; Tarragona
at k=4, 5 and EIA at k=5 come out like this only with the two-k tail or that of the thesis, and at k=10 only with the
two-k tail.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from shoal.datasets import nineteen_points
from shoal.partition import MDAV

EIA_COLUMNS = [
    "utilityid",
    *(f"{sector}{what}" for sector in ("res", "com", "ind") for what in ("revenue", "sales")),
    "othrevenue",
    "othrsales",
    "totrevenue",
    "totsales",
]


def standardise(table: pd.DataFrame) -> np.ndarray:
    X = table.to_numpy(dtype=float)
    return (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)


def within_groups(X: np.ndarray, labels: np.ndarray) -> float:
    """Return the sum of squared errors."""
    return sum(((X[labels == g] - X[labels == g].mean(axis=0)) ** 2).sum() for g in range(labels.max() + 1))


@pytest.mark.parametrize("variant", ["classic", "two-k", "thesis"])
@pytest.mark.parametrize(("k", "published"), [(3, 798.44), (4, 1051.28), (5, 1274.83), (10, 1985.65)])
def test_census_sum_of_squared_errors(reference_data, k, variant, published):
    X = standardise(pd.read_csv(reference_data("census.csv")))
    assert round(within_groups(X, MDAV(k, variant=variant).fit(X).labels_), 2) == published


@pytest.mark.parametrize(
    ("name", "k", "published"),
    [
        ("census", 3, 5.692186279),
        ("census", 4, 7.494699833),
        ("census", 5, 9.088435498),
        ("census", 10, 14.155930425),
        ("tarragona", 3, 16.932587623),
        ("tarragona", 4, 19.545786123),
        ("tarragona", 5, 22.461282360),
        ("tarragona", 10, 33.192358375),
        ("eia", 3, 0.482938725),
        ("eia", 4, 0.671345141),
        ("eia", 5, 1.666657361),
        ("eia", 10, 3.839664225),
    ],
)
def test_information_loss_to_nine_digits(reference_data, name, k, published):
    table = pd.read_csv(reference_data(f"{name}.csv"))
    X = standardise(table[EIA_COLUMNS] if name == "eia" else table)
    total = ((X - X.mean(axis=0)) ** 2).sum()
    loss = 100 * within_groups(X, MDAV(k, variant="two-k").fit(X).labels_) / total
    assert loss == pytest.approx(published, abs=1.1e-9)  # some of the quoted values cut the last digit


@pytest.mark.parametrize(("name", "loss"), [("tarragona", 33.192885), ("eia", 3.839670)])
def test_the_tail_of_the_thesis_is_not_the_two_k_tail(reference_data, name, loss):
    # Not printed anywhere: an implementation that shares nothing with this one gave these two.
    table = pd.read_csv(reference_data(f"{name}.csv"))
    X = standardise(table[EIA_COLUMNS] if name == "eia" else table)
    total = ((X - X.mean(axis=0)) ** 2).sum()
    thesis, two_k = (MDAV(10, variant=variant).fit(X).labels_ for variant in ("thesis", "two-k"))
    assert 100 * within_groups(X, thesis) / total == pytest.approx(loss, abs=5e-7)
    assert 100 * within_groups(X, two_k) / total < loss - 5e-6
    assert np.bincount(thesis)[-1] > 10 == np.bincount(two_k)[-1]


def test_nineteen_points_of_the_thesis_have_its_group_sizes():
    labels = MDAV(4, variant="thesis").fit(standardise(nineteen_points())).labels_
    assert sorted(np.bincount(labels)) == [4, 5, 5, 5]  # its figure 5.1


def test_nineteen_points():
    X = standardise(nineteen_points())
    labels = MDAV(4).fit(X).labels_
    assert sorted(np.bincount(labels)) == [4, 4, 4, 7]
    assert within_groups(X, labels) == pytest.approx(8.2036, abs=5e-5)
