"""The partition methods beside MDAV give the information loss of another implementation, and of the literature.

The first table was computed with another implementation, and has to come out to its last digit. The
second was recalled from the literature (Laszlo and Mukherjee 2005; Chang, Li and Huang 2007; Domingo-Ferrer et al.
2006 and 2008) and has to come out within 1 %, except where the class says why it does not.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from shoal.partition.cbfs import CBFS
from shoal.partition.md import MD
from shoal.partition.mhm import MHM
from shoal.partition.mst import MST
from shoal.partition.mu_approx import MuApprox
from shoal.partition.tfrp import TFRP
from shoal.partition.vmdav import VMDAV

SIZES = (3, 4, 5, 10)


def information_loss(path, estimator) -> float:
    X = pd.read_csv(path).to_numpy(dtype=float)
    X = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
    labels = estimator.fit(X).labels_
    assert np.bincount(labels).min() >= estimator.k
    within = sum(((X[labels == g] - X[labels == g].mean(axis=0)) ** 2).sum() for g in range(labels.max() + 1))
    return 100 * within / ((len(X) - 1) * X.shape[1])


def cells(table):
    """Return a test case for every value: the file, the estimator, the value."""
    return [
        pytest.param(file, make(k), value, id=f"{name}-{file}-{k}")
        for file, name, make, values in table
        for k, value in zip(SIZES, values, strict=True)
        if value is not None
    ]


# MD on Tarragona at k=10 is left out: 14 records remain, of which the other implementation made one group (33.5024);
# shoal's MD ends like MDAV's two-k variant, with a group of k whose rest joins the nearest groups (33.5022).
COMPUTED = [
    ("census", "md", MD, (5.7210, 7.6374, 9.0065, 14.3965)),
    ("tarragona", "md", MD, (16.9835, 19.5362, 22.9351, None)),
    ("census", "cbfs", CBFS, (5.6536, 7.4414, 8.8840, 14.0066)),
    ("tarragona", "cbfs", CBFS, (16.9661, 19.7303, 22.8186, 33.2154)),
    ("census", "vmdav", VMDAV, (5.6619, 7.5140, 9.0070, 14.0730)),
    ("tarragona", "vmdav", VMDAV, (16.9630, 19.6940, 22.8778, 33.2527)),
    ("census", "vmdav-1.1", lambda k: VMDAV(k, gamma=1.1), (7.0649, 9.1531, 10.5407, 15.5020)),
    ("tarragona", "vmdav-1.1", lambda k: VMDAV(k, gamma=1.1), (17.3825, 20.2874, 23.8461, 34.5300)),
    ("census", "m-d", MST, (6.1205, 8.2471, 10.2678, 17.1596)),
    ("tarragona", "m-d", MST, (16.6209, 19.6605, 24.5054, 38.4258)),
    ("census", "npn-mhm", lambda k: MHM(k, order="npn"), (6.2106, 8.9586, 11.0541, 20.2272)),
    ("tarragona", "npn-mhm", lambda k: MHM(k, order="npn"), (17.5258, 21.6916, 28.1666, 38.7184)),
]

# Printed with three digits after the point.
COMPUTED_TFRP = [
    ("census", "tfrp-1", lambda k: TFRP(k, stage=1), (5.965, 7.944, 9.268, 14.463)),
    ("census", "tfrp-2", TFRP, (5.806, 7.674, 8.980, 13.975)),
    ("tarragona", "tfrp-1", lambda k: TFRP(k, stage=1), (17.079, 19.972, 23.401, 33.549)),
    ("tarragona", "tfrp-2", TFRP, (16.716, 19.599, 23.109, 33.364)),
]

# Left out, and explained in the notes of the classes: TFRP-2 on Tarragona at k=4 (recalled 19.181) and k=5 (21.847),
# and NPN-MHM on Census (6.350, -, 11.344, 18.734).
RECALLED = [
    ("census", "m-d", MST, (6.110, 8.24, 10.30, 17.17)),
    ("tarragona", "m-d", MST, (16.63, 19.66, 24.50, 38.58)),
    ("census", "tfrp-1", lambda k: TFRP(k, stage=1), (5.931, 7.880, 9.357, 14.442)),
    ("census", "tfrp-2", TFRP, (5.803, 7.638, 8.980, 13.959)),
    ("tarragona", "tfrp-2", TFRP, (16.881, None, None, 33.088)),
    ("census", "mdav-mhm", MHM, (5.652, None, 9.087, 14.224)),
    ("census", "md-mhm", lambda k: MHM(k, order="md"), (5.697, None, 8.986, 14.397)),
    ("census", "cbfs-mhm", lambda k: MHM(k, order="cbfs"), (5.673, None, 8.894, 13.893)),
    ("tarragona", "cbfs-mhm", lambda k: MHM(k, order="cbfs"), (16.971, None, 22.823, 33.219)),
]

RECALLED_MU_APPROX = [
    ("census", "mu-approx", MuApprox, (6.25, 8.47, 10.78, 17.01)),
    ("tarragona", "mu-approx", MuApprox, (17.10, 20.51, 26.04, 38.80)),
]


@pytest.mark.parametrize(("file", "estimator", "value"), cells(COMPUTED))
def test_values_computed_for_methods(reference_data, file, estimator, value):
    assert information_loss(reference_data(f"{file}.csv"), estimator) == pytest.approx(value, abs=5.1e-5)


@pytest.mark.parametrize(("file", "estimator", "value"), cells(COMPUTED_TFRP))
def test_values_computed_for_methods_with_three_digits(reference_data, file, estimator, value):
    assert information_loss(reference_data(f"{file}.csv"), estimator) == pytest.approx(value, abs=5.1e-4)


@pytest.mark.parametrize(("file", "estimator", "value"), cells(RECALLED))
def test_values_recalled_from_the_literature_within_one_percent(reference_data, file, estimator, value):
    assert information_loss(reference_data(f"{file}.csv"), estimator) == pytest.approx(value, rel=0.01)


@pytest.mark.parametrize(("file", "estimator", "value"), cells(RECALLED_MU_APPROX))
def test_mu_approx_is_near_the_recalled_values(reference_data, file, estimator, value):
    # The order of the rows alone moves it by more than this: see the notes of the class.
    assert information_loss(reference_data(f"{file}.csv"), estimator) == pytest.approx(value, rel=0.04)
