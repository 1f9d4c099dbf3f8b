"""The text of key risk is right where there is one record, one key, or no special unique."""

from __future__ import annotations

import pandas as pd

from shoal.measure.risk.keys.overview import key_risk
from shoal.report.terminal.key_risk import key_risk_text


def test_one_record_and_one_key():
    text = key_risk_text("one.csv", key_risk(pd.DataFrame({"sex": [1]}), ["sex"], ks=(2,)))
    assert text.startswith("one.csv: 1 record, 1 key: sex")
    assert "1 record (100.00 %) that no other agrees with" in text


def test_nobody_special():
    text = key_risk_text("two.csv", key_risk(pd.DataFrame({"sex": [1, 1], "age": [2, 2]}), ["sex", "age"]))
    assert "special uniques  none (SUDA, all sets of keys)" in text and "in SUDA scores" not in text


def test_names_that_steer_a_terminal_are_escaped():
    frame = pd.DataFrame({"a\x1b[31m": [1, 2], "b": [1, 1]})
    assert "\x1b" not in key_risk_text("x.csv", key_risk(frame, list(frame)))
