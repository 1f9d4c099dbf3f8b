"""What recodes did for k is in the internal facts, as the plan counted it."""

from __future__ import annotations

import numpy as np
import pandas as pd

import shoal
from shoal.report.facts.keys.all_key_facts import key_facts


def test_recodes_are_said_as_the_plan_counted_them():
    rng = np.random.default_rng(2)
    frame = pd.DataFrame({"age": rng.integers(20, 80, 300), "town": rng.choice(list("abcdefgh"), 300)})
    recodes = {"age": "bands:width=20", "town": "merge:rare=40"}
    release = shoal.protect(frame, 3, recodes=recodes, roles={"age": "key", "town": "key"}, seed=1)
    inside, public = (
        key_facts(release.plan, release.recoded, release.masked, audience, of_both=True)
        for audience in ("internal", "public")
    )
    assert "recode_effects" not in public and "transitions" not in public
    *each, together = inside["recode_effects"]
    counted = release.plan.outcome.recoded
    assert [one.column for one in each] == ["age", "town"] == list(counted)
    for one in each:
        own = counted[one.column]
        assert one.values == (own.values_before, own.values_after)
        assert one.below_k == (own.below_k_before, own.below_k_after)
    assert each[0].how == "bands:width=20"
    effect = shoal.recode.effect(frame, recodes, ["age", "town"], 3)
    assert (together.column, together.below_k) == ("", (effect.before.below_k, effect.together.below_k))
    assert inside["key_risk"].before[0].below["3"] == effect.together.below_k
    assert key_facts(release.plan, release.recoded, release.masked, "internal", of_both=False) == {}
