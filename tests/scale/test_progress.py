"""Progress is reported while a cluster works, and comes to the whole of the work and no further."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from scale.running import mixed, protected, write_parts
from shoal.errors import ShoalWarning
from shoal.progress import listening
from shoal.scale.measured.measure import measure_parts

OPTIONS = {
    "numbers and categories": {},
    "a unit": {"unit": "home"},
    "weights": {"weights": "weight"},
    "columns as they are": {"as_is": ["sex"]},
    "clusters of the whole file": {"method": "fuzzy:n_clusters=4,max_iter=5", "columns": ["age", "income"]},
}


@pytest.mark.parametrize("name", OPTIONS)
def test_all_of_the_work_is_reported_in_small_parts(cluster, tmp_path, name):
    frame, options = mixed(900), dict(OPTIONS[name])
    frame["home"], frame["weight"] = np.arange(900) // 3, np.arange(900) % 7 + 1.0
    used = (options.get("unit"), options.get("weights"))
    frame = frame.drop(columns=[column for column in ("home", "weight") if column not in used])
    if "columns" in options:
        options["roles"] = {column: "identifier" for column in frame if column not in options["columns"]}
    source, parts = write_parts(frame, tmp_path / "in"), list[float]()
    with warnings.catch_warnings(), listening(parts.append):
        warnings.simplefilter("ignore", ShoalWarning)
        release = protected(source, tmp_path / "out", cluster, block_records=150, **options)
    assert min(parts) > 0
    assert max(parts) <= 0.2
    assert len(parts) > release.blocks
    assert 0.9 <= sum(parts) <= 1 + 1e-9


@pytest.mark.parametrize("unit", [None, "home"])
def test_measuring_is_reported_too(cluster, tmp_path, unit):
    frame = mixed(600).assign(home=np.arange(600) // 3)
    source = write_parts(frame, tmp_path / "in")
    other = write_parts(frame.assign(age=frame["age"] // 5 * 5), tmp_path / "other")
    parts = list[float]()
    with listening(parts.append):
        measure_parts(source, other, cluster, aligned=True, unit=unit)
    assert min(parts) > 0
    assert 0.5 <= sum(parts) <= 1 + 1e-9
