"""Which rows make a page: no chunk decides it, no stratum is mixed, no page has few rows."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

from scale.running import InThisProcess
from shoal.flow.settle import settle
from shoal.read import as_table
from shoal.scale.input.chunks import read_rows
from shoal.scale.input.keys import keys_of
from shoal.scale.input.parts import parts_of
from shoal.scale.iterated.pages import pages_of
from shoal.scale.scattered import row_numbers
from shoal.scale.setting import RunSetting


@pytest.mark.parametrize("is_sorted", [False, True])
def test_pages_are_the_same_for_any_chunks(tmp_path, is_sorted):
    rng = np.random.default_rng(0)
    strata = rng.choice(["a", "b", "c"], 1_000, p=[0.8, 0.17, 0.03])
    frame = pd.DataFrame({"x": rng.normal(size=1_000), "s": np.sort(strata) if is_sorted else strata})
    found = []
    for number, cuts in enumerate(([0, 1_000], [0, 1, 350, 620, 1_000])):
        source = tmp_path / f"in-{number}"
        source.mkdir()
        for start, end in pairwise(cuts):
            frame.iloc[start:end].to_parquet(source / f"{start:06}.parquet")
        folder = tmp_path / f"run-{number}"
        (folder / "scattered").mkdir(parents=True)
        table = as_table(frame)
        plan = settle(table, 3, method="fuzzy:n_clusters=2", strata=["s"]).plan
        setting = RunSetting(plan, folder, {}, table.labels)
        sources = list(enumerate(parts_of(source, rows=300).chunks))
        rows = [read_rows(chunk) for _, chunk in sources]
        keys = np.concatenate([keys_of(one, setting) for one in rows])
        counts = dict(zip(*(part.tolist() for part in np.unique(keys, return_counts=True)), strict=True))
        pages = pages_of(InThisProcess(), sources, setting, counts, 100)
        found.append([(page.stratum, page.records, row_numbers(read_rows(page.rows)).tolist()) for page in pages])
        for page in pages:
            assert len(set(read_rows(page.rows)["s"].to_pylist())) == 1
    assert found[0] == found[1]
    assert sorted(row for *_, rows in found[0] for row in rows) == list(range(1_000))
    assert all(records == len(rows) <= 150 for _, records, rows in found[0])
    assert sum(records < 25 for _, records, _ in found[0]) == 0
