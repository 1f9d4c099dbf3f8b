"""The same plan gives the same bytes, whatever the number of workers and however the file is cut into parts."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import shoal
from scale.running import bytes_of, mixed, write_parts
from shoal.errors import ShoalWarning
from shoal.recode import Bands
from shoal.scale import protect as engine
from shoal.scale.cluster import Cluster
from shoal.scale.input.parts import parts_of

RECORDS = 1_200


@pytest.fixture(scope="module")
def growing() -> Iterator[Any]:
    """A cluster that grows: give it the number of workers, and get the cluster."""
    with Cluster(workers=1, memory="2GB") as started:

        def grown(workers: int) -> Cluster:
            started._started.scale(workers)
            started._client.wait_for_workers(workers)
            return Cluster(client=started._client)

        yield grown


def table() -> pd.DataFrame:
    frame, generator = mixed(RECORDS), np.random.default_rng(4)
    frame["income"] = frame["income"].where(generator.random(RECORDS) > 0.1)
    frame["household"] = generator.permutation(np.repeat(np.arange(RECORDS), 3)[:RECORDS])
    return frame


SETTINGS = {
    "strata, recodes, missing values": {
        "strata": ["region"],
        "recodes": {"age": Bands(width=10)},
        "missing": "fill",
        "roles": {"household": "identifier"},
    },
    "units": {"unit": "household", "missing": "fill"},
}


def run(source: Path, output: Path, cluster: Cluster, **how: Any) -> dict[str, bytes]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShoalWarning)
        engine.protect_parts(source, output, cluster, block_records=200, **how)
    return bytes_of(output)


@pytest.fixture(scope="module", params=SETTINGS)
def first(request, cluster, tmp_path_factory) -> tuple[Path, shoal.Plan, dict[str, bytes]]:
    """A release that was made in this process, and its plan."""
    folder = tmp_path_factory.mktemp("first")
    source = write_parts(table(), folder / "in", files=3)
    written = run(source, folder / "out", cluster, k=4, options=SETTINGS[request.param])
    assert len(written) > 3
    return source, shoal.Plan.from_toml(folder / "out.plan.toml"), written


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2, 4])
def test_the_number_of_workers_changes_nothing(first, growing, tmp_path, workers):
    source, plan, written = first
    assert run(source, tmp_path / "out", growing(workers), plan=plan) == written


@pytest.mark.parametrize("files", [{"files": 1}, {"files": 7}, {"files": 3, "row_group": 37}], ids=str)
def test_how_the_file_is_cut_changes_nothing(first, cluster, tmp_path, files):
    _, plan, written = first
    source = write_parts(table(), tmp_path / "in", **files)
    assert run(source, tmp_path / "out", cluster, plan=plan) == written


def test_row_groups_that_are_read_in_pieces_change_nothing(first, cluster, tmp_path, monkeypatch):
    _, plan, written = first
    monkeypatch.setattr(engine, "parts_of", partial(parts_of, rows=130))
    source = write_parts(table(), tmp_path / "in", files=1)
    assert run(source, tmp_path / "out", cluster, plan=plan) == written


def test_another_key_gives_another_order_of_the_same_records(first, cluster, tmp_path):
    source, plan, written = first
    other = run(source, tmp_path / "out", cluster, plan=plan.model_copy(update={"key": "0" * 32}))
    assert other != written
    columns = [name for name in table() if name != "household"]

    def rows(folder: Path) -> list[str]:
        frame = pd.read_parquet(folder)[columns]
        return sorted(map(str, frame.astype(object).itertuples(index=False)))

    assert rows(tmp_path / "out") == rows(source.with_name("out"))


def test_a_file_that_changed_since_is_refused(first, cluster, tmp_path):
    _, plan, _ = first
    frame = table()
    frame.loc[700, "rent"] += 1
    source = write_parts(frame, tmp_path / "in")
    with pytest.raises(shoal.errors.PlanError, match="has changed since the plan was made"):
        run(source, tmp_path / "out", cluster, plan=plan)
    assert list(tmp_path.iterdir()) == [source]
