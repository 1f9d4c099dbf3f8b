"""The page of keys shows one number for one thing: in its tiles, its table, its picture and the headline above."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

from shoal.studio.pages.keys.risk import risk_cards, risk_table
from shoal.studio.tasks.key_risk import measured
from shoal.studio.tasks.opening import as_it_is
from shoal.studio.tasks.recoding import effect_on_k

KEYS = ["plot", "dose"]


@pytest.fixture
def source(tmp_path):
    """Half of the values are missing, so that wildcards find nobody unique."""
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"plot": rng.integers(1, 60, 200), "dose": rng.integers(1, 9, 200)}, dtype=float)
    frame = frame.mask(rng.random(frame.shape) < 0.5)
    frame.to_csv(tmp_path / "trial.csv", index=False)
    return {"path": str(tmp_path / "trial.csv"), "reading": {}}


def test_tile_table_picture_recode_and_headline_show_one_number(source):
    found = measured(source, {}, KEYS, k=3, weights=None, unit=None)
    header = as_it_is(source, {})
    effect = effect_on_k(source, {"recodes": {"dose": "bands:width=4"}}, KEYS, 3, None)
    tiles = re.findall(r"<strong[^>]*>([^<]*)</strong>", str(risk_cards(found.after, 3)))
    rows = re.findall(r"<t[hd][^>]*>([^<]*)</t[hd]>\s*<td[^>]*>([^<]*)</td>", str(risk_table(found)))
    table = {name: int(text.split(" ")[0]) for name, text in rows if "expected" not in name}
    assert header.k == effect.before.k == int(tiles[0]) == table["k, the fewest records with the same keys"] == 1
    assert header.uniques == effect.before.uniques == int(tiles[1]) == table["unique records (below 2)"]
    assert found.alike["1"] == header.uniques > 10
    assert effect.before.below_k == int(tiles[2]) == table["records below 3"]
    assert table["as wildcards: unique records (below 2)"] == found.after.as_wildcards.uniques < header.uniques
    assert list(table).index("records below 3") < list(table).index("as wildcards: records below 3")
