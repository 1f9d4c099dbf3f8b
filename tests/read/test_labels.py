"""Labels as JSON, and labels that shoal did not write."""

from __future__ import annotations

import pandas as pd

from oracles.sample_tables import LABELS
from shoal.read import Labels, as_table


def test_labels_that_are_not_ours_are_ignored() -> None:
    frame = pd.DataFrame({"a": [1]})
    for attrs in ({"shoal_labels": 5}, {"shoal_labels": {"variables": {}}}, {"shoal_labels": {"values": [1]}}):
        frame.attrs = attrs
        assert as_table(frame).labels == Labels()
    assert Labels.from_json("not json") == Labels()
    assert Labels.from_json(LABELS.to_json()) == LABELS
    assert not Labels()
    assert LABELS.only(["s"]) == Labels(values={"s": {"x": "ex", "1": "text"}}, file="A survey")


def test_text_that_is_not_of_labels_gives_none():
    for text in ("", "[" * 100_000, '{"variables": 1}', "null"):
        assert Labels.from_json(text) == Labels()
