"""The risk of a record is the expectation of 1 / F, and that of a household of at least one member."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles.slow_key_risk import expected_share
from shoal.errors import ColumnError, DescriptionWarning, MissingValuesError
from shoal.measure import household_risk, individual_risk, key_frequencies
from shoal.measure.risk.keys.individual_risk import _risks


def alike(f: int, F: float) -> pd.DataFrame:
    """Return f records that agree, whose weights sum to F."""
    return pd.DataFrame({"sex": [1] * f, "w": [F / f] * f})


@given(st.integers(1, 60), st.floats(1.0, 200.0))
def test_the_exact_risk_is_the_expectation_of_one_over_the_population(f, times):
    risk = _risks(np.array([float(f)]), np.array([f * times]), True)[0]
    assert risk == pytest.approx(expected_share(f, f * times), rel=1e-9)


@given(st.integers(1, 60), st.floats(1.0, 10_000.0))
def test_the_default_is_exact_up_to_two_and_near_above(f, times):
    F = f * times
    default, exact = (_risks(np.array([float(f)]), np.array([F]), way)[0] for way in (False, True))
    p, q = f / F, 1 - f / F
    if f <= 2:
        assert default == exact
    else:
        assert default == pytest.approx(p / (f - q), rel=1e-9)
        assert default == pytest.approx(exact, rel=0.05)
    assert 0 < exact <= 1 / f + 1e-15


@pytest.mark.parametrize("F", [1.5, 3.0, 100.0])
def test_the_closed_forms_are_those_of_the_paper(F):
    p = 1 / F
    q = 1 - p
    assert individual_risk(alike(1, F), ["sex"], weights="w") == pytest.approx(p / q * np.log(1 / p))
    p = 2 / (2 * F)
    pairs = individual_risk(alike(2, 2 * F), ["sex"], weights="w")
    assert pairs.by_record == pytest.approx([p / q - (p / q) ** 2 * np.log(1 / p)] * 2)


def test_risks_do_not_jump_where_nearly_all_of_the_population_is_in_the_sample():
    for f in (1, 2, 3):
        near = [_risks(np.array([float(f)]), np.array([f * (1 + 10.0**-power)]), True)[0] for power in range(3, 16)]
        assert (np.diff(near) >= -1e-15).all() and near[-1] == pytest.approx(1 / f)


def test_without_weights_the_file_is_the_population():
    frame = pd.DataFrame({"sex": [1, 1, 2, 3]})
    risk = individual_risk(frame, ["sex"])
    assert (risk, risk.by_record.tolist(), risk.global_risk) == (3.0, [0.5, 0.5, 1.0, 1.0], 0.75)
    assert individual_risk(frame, ["sex"], exact=True) == 3.0
    assert pickle.loads(pickle.dumps(risk)).global_risk == 0.75


def test_weights_below_one_are_warned_of():
    frame = pd.DataFrame({"sex": [1, 1, 2], "w": [0.4, 0.4, 5.0]})
    with pytest.warns(DescriptionWarning, match="those of 2 records"):
        risk = individual_risk(frame, ["sex"], weights="w")
    assert risk.by_record[:2].tolist() == [0.5, 0.5]


@given(st.integers(0, 10**6))
def test_a_household_is_found_if_one_member_is(seed):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {"sex": rng.integers(0, 6, 30), "w": rng.uniform(1, 30, 30), "home": rng.choice(list("dcbaz"), 30)}
    )
    own = individual_risk(frame, ["sex"], weights="w")
    risk = household_risk(frame, ["sex"], unit="home", weights="w")
    expected = [1 - np.prod(1 - own.by_record[frame["home"] == home]) for home in frame["home"]]
    assert risk.by_record == pytest.approx(expected)
    assert risk == pytest.approx(sum(expected)) and risk.global_risk == pytest.approx(np.mean(expected))
    in_order = list(dict.fromkeys(frame["home"]))
    assert [in_order[place] for place in risk.units] == frame["home"].tolist()
    assert risk.by_unit[risk.units].tolist() == risk.by_record.tolist()


def test_a_record_without_its_household_is_refused():
    frame = pd.DataFrame({"sex": [1, 2], "home": [1, None]})
    with pytest.raises(MissingValuesError, match="needs its unit"):
        household_risk(frame, ["sex"], unit="home")
    with pytest.raises(ColumnError, match="unit: There is no column"):
        household_risk(frame, ["sex"], unit="hoem")


def test_numbers_of_sdcmicro(reference_data):
    """testdata, sdcMicro 5.8.1: measure_risk with keys, weight and household."""
    path = reference_data("testdata.csv")
    keys = ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex"]
    found = key_frequencies(path, keys, weights="sampling_weight")
    assert [found.violators(k) for k in (2, 3, 5)] == [157, 281, 458]
    assert individual_risk(path, keys, weights="sampling_weight") == pytest.approx(10.7783, abs=5e-5)
    with_home = household_risk(path, keys, unit="ori_hid", weights="sampling_weight")
    assert with_home == pytest.approx(51.8129, abs=5e-5)
