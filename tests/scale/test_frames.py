"""Dask frames: what comes back has their rows in their order, is written in random order, and measures itself."""

import dask.dataframe
import numpy as np
import pandas as pd
import pytest

import shoal


@pytest.fixture(scope="module")
def frame():
    random = np.random.default_rng(5)
    return pd.DataFrame(
        {
            "income": random.lognormal(10, 1, 1_200),
            "age": random.normal(45, 12, 1_200),
            "sex": random.choice(["f", "m"], 1_200),
        }
    )


@pytest.fixture(scope="module")
def release(frame, dask_cluster):
    """A release that is made on the cluster of the present client."""
    with dask_cluster._given.as_current():
        return shoal.protect(dask.dataframe.from_pandas(frame, npartitions=3), k=5, seed=1)


def test_rows_stay_in_their_order_in_memory(frame, release):
    """As one machine does it: the file is one block, and so the groups are the same."""
    masked = release.data.compute().reset_index(drop=True)
    alone = shoal.protect(frame, k=5, seed=1).data
    np.testing.assert_allclose(masked["income"], alone["income"], rtol=1e-12)
    assert masked["sex"].tolist() == alone["sex"].tolist()
    sizes = masked.groupby(list(masked.columns)).size()
    assert release.headline["k"] == sizes.min() >= 5
    assert release.headline["uniques"] == 0


@pytest.mark.slow
def test_rows_stay_in_their_order_whatever_the_number_of_partitions(frame):
    """Twelve partitions: the names that Dask gives them sort 10 and 11 before 2. Nobody has a client."""
    numbered = dask.dataframe.from_pandas(frame.assign(number=np.arange(1_200)), npartitions=12)
    with pytest.warns(shoal.errors.ShoalWarning, match="NOT PROTECTED"):
        release = shoal.protect(numbered, k=5, seed=1, as_is=["number"])
    assert release.data.compute()["number"].tolist() == list(range(1_200))


def test_rows_are_written_in_random_order_and_measured(frame, release, dask_cluster, tmp_path):
    masked = release.data.compute().reset_index(drop=True)
    release.write(tmp_path / "out", cluster=dask_cluster)
    written = pd.read_parquet(tmp_path / "out")
    assert sorted(written["income"]) == sorted(masked["income"])
    assert written["income"].tolist() != masked["income"].tolist()
    measured = release.evaluate(dask_cluster, measures=["information_loss", "sse"])
    here = shoal.evaluate(frame, masked, measures=["information_loss", "sse"])
    for name in ("information_loss", "sse"):
        assert float(getattr(measured, name)) == pytest.approx(float(getattr(here, name)), rel=1e-9)
