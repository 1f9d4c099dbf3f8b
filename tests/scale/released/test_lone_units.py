"""Units that are alone with a combination are counted by workers, each once, for every set of columns."""

from __future__ import annotations

import numpy as np

from shoal.scale.released.lone_units import count_lone_units, scatter_lone_units


def test_every_unit_is_counted_once_however_many_tasks_found_it(cluster, tmp_path):
    generator = np.random.default_rng(0)
    units, sets = generator.integers(0, 400, 2_000).astype(np.uint64), generator.integers(0, 3, 2_000)
    sets[units < 50] = 0
    for number in range(0, 7, 2):  # some tasks found none, and have written nothing
        own = np.arange(2_000) % 4 == number // 2
        scatter_lone_units(units[own], sets[own], 5, number, tmp_path)
    expected = [len(np.unique(units[sets == one])) for one in range(3)]
    with cluster:
        assert count_lone_units(cluster, 7, 5, 3, tmp_path) == expected
    assert expected[0] > expected[1]


def test_where_no_unit_is_alone_there_are_none(cluster, tmp_path):
    with cluster:
        assert count_lone_units(cluster, 3, 2, 2, tmp_path) == [0, 0]
