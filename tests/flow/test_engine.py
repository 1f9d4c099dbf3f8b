"""The seam where another engine takes over: protecting the blocks of a plan that was checked."""

from __future__ import annotations

import numpy as np
import pandas as pd

import shoal
from shoal.flow.carry_out import carry_out, protect_blocks
from shoal.flow.settle import settle


def test_another_engine_can_protect_the_blocks():
    frame = pd.DataFrame(np.random.default_rng(1).normal(size=(30, 4)), columns=list("abcd"))
    settled = settle(frame, 3, blocks=2, seed=7)
    seen = []

    def engine(work):
        seen.append((work.plan, [list(values) for values in work.values]))
        return protect_blocks(work)

    release = carry_out(settled.plan, settled.table, engine=engine)
    assert seen == [(settled.plan, [["a", "b"], ["c", "d"]])]
    pd.testing.assert_frame_equal(release.data, shoal.protect(frame, 3, blocks=2, seed=7).data)


def test_carrying_out_a_plan_leaves_the_plan_as_it_is():
    frame = pd.DataFrame(np.random.default_rng(1).normal(size=(30, 2)), columns=list("ab"))
    settled = settle(frame, 3, method="refine:steps=5", seed=7)
    method = settled.plan.masking.method
    before = method.get_params()
    carry_out(settled.plan, settled.table)
    assert settled.plan.masking.method is method and method.get_params() == before
    assert not hasattr(method, "labels_")
