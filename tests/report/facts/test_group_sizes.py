"""Sizes of groups: what a file shows of them is what there is, or nothing."""

from __future__ import annotations

import numpy as np
import pytest

import shoal
from shoal.errors import DisclosureWarning
from shoal.read import as_table
from shoal.report.facts.group_sizes import binned, sizes_shown


def test_many_sizes_are_put_together_and_none_is_lost():
    sizes = np.random.default_rng(0).integers(3, 900, size=500)
    found = binned(sizes)
    assert len(found) <= 30
    assert sum(count for _, _, count in found) == 500
    assert all(count == ((sizes >= low) & (sizes <= high)).sum() for low, high, count in found)


@pytest.mark.parametrize("options", [{}, {"strata": ["area"]}, {"blocks": 2}, {"method": "vmdav", "blocks": 3}])
def test_records_that_agree_are_the_groups(options):
    columns = [*options.get("strata", ()), "age", "wage_income", "tax", "savings"]
    release = shoal.protect(shoal.datasets.households(240, seed=3)[columns], 4, seed=0, **options)
    found = sizes_shown(as_table(release.data), release.plan)
    assert [sorted(sizes) for sizes in found] == [sorted(partition.sizes) for partition in release.partitions]


def test_what_the_file_does_not_show_is_not_said():
    table = shoal.datasets.households(120, seed=3)[["age", "wage_income", "tax", "savings"]]
    release = shoal.protect(table, 4, seed=0)
    other = release.data.copy()
    other.loc[0, "tax"] += 1  # no release of this plan
    assert sizes_shown(as_table(other), release.plan) == []
    other.loc[0, "tax"] = np.nan
    assert sizes_shown(as_table(other), release.plan) == []
    assert sizes_shown(as_table(release.data[["age"]]), release.plan) == []
    with pytest.warns(DisclosureWarning, match="NOT PROTECTED .2.: age, wage_income"):
        hybrid = shoal.protect(table, 10, replace="hybrid:small_groups=merge", confidential=["tax", "savings"], seed=0)
    assert sizes_shown(as_table(hybrid.data), hybrid.plan) == []
