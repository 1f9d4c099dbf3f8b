"""Files as offices have them, released with nothing said but what has to be: whole records are k alike."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import shoal
from command_line import run_shoal as run


def demo():
    return shoal.datasets.households(400, seed=5).drop(columns="survey_weight"), {"household_id": "identifier"}, None


def persons():
    """Return persons in households: codes, categories, amounts, some of the household and some of the person."""
    rng = np.random.default_rng(2)
    hid = np.repeat(np.arange(160), rng.integers(1, 6, 160))
    roof, region = rng.integers(1, 5, 160)[hid], rng.choice(list("abcdef"), 160)[hid]
    age, spending = rng.integers(0, 90, len(hid)), np.exp(rng.normal(8, 1, 160))[hid].round(2)
    sex, relation = rng.integers(1, 3, len(hid)), rng.choice(["head", "spouse", "child", "other"], len(hid))
    columns = {"hid": hid, "roof": roof, "region": region, "age": age, "sex": sex, "relation": relation}
    return pd.DataFrame({**columns, "spending": spending}), {}, "hid"


def employees():
    """Return employees of firms: few firms are large, sector and size are the firm's, pay and hours the employee's."""
    rng = np.random.default_rng(3)
    firm = np.repeat(np.arange(60), np.minimum(3 + rng.pareto(1.2, 60) * 3, 60).astype(int))
    sector = rng.choice(["C10", "C22", "G47", "M69", "Q86"], 60)[firm]
    size = np.array(["1-9", "10-49", "50+"])[np.digitize(np.bincount(firm), [10, 50])][firm]
    columns = {"firm_id": firm, "sector": sector, "size": size, "occupation": rng.choice(list("ABCDE"), len(firm))}
    pay, hours = np.exp(rng.normal(7.5, 0.5, len(firm))).round(2), rng.normal(38, 4, len(firm)).round(1)
    return pd.DataFrame({**columns, "pay": pay, "hours": hours}), {}, "firm_id"


def linkage(original, masked, numbers):
    """Return the expected percentage of records linked to their own by the nearest record, counted one by one."""
    categories = [name for name in masked if name not in numbers]
    scaled = [
        np.column_stack([(frame[name] - frame[name].mean()) / frame[name].std() for name in numbers])
        for frame in (original, masked)
    ]
    found = 0.0
    for row in range(len(original)):
        distances = np.square(scaled[1] - scaled[0][row]).sum(axis=1)
        for name in categories:
            distances = distances + 2.0 * (masked[name].to_numpy() != original[name].to_numpy()[row])
        nearest = distances <= distances.min() * (1 + 1e-9) + 1e-12
        found += nearest[row] / nearest.sum()
    return 100 * found / len(original)


@pytest.mark.parametrize("make", [demo, persons, employees])
def test_a_default_release_is_as_safe_as_its_headline_and_its_measures_say(tmp_path, make):
    frame, roles, unit = make()
    frame.to_csv(tmp_path / "raw.csv", index=False)
    said = [text for name, role in roles.items() for text in ("--role", f"{name}={role}")]
    said += ["--unit", unit] if unit else []
    ran = run("protect", "raw.csv", "-k", 3, *said, "-o", "out.csv", cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert "NOT PROTECTED" not in ran.stderr

    plan = shoal.Plan.from_toml(tmp_path / "out.csv.plan.toml")
    release = plan.run()
    original, masked = pd.read_csv(tmp_path / "raw.csv"), release.data.reset_index(drop=True)
    written = pd.read_csv(tmp_path / "out.csv")
    columns = [name for name in masked if name != unit]
    if unit is None:
        sizes = written.groupby(columns, dropna=False).size()
        k, uniques = sizes.min(), (sizes == 1).sum()
    else:
        behind = written.groupby(columns, dropna=False)[unit].nunique()
        k, uniques = behind.min(), 0
        assert (
            masked.groupby(unit).size().sort_values().to_numpy() == original.groupby(unit).size().sort_values()
        ).all()
    assert (k >= 3, uniques) == (True, 0)

    numbers = [name for name in columns if plan.kinds[name] != "nominal"]
    ordinal = [name for name in numbers if plan.kinds[name] == "ordinal"]
    assert not ordinal  # texts of a CSV file have no order
    units = None if unit is None else original[unit].nunique()
    expected = {"records": len(frame), "units": units, "k": k, "uniques": uniques}
    headline = dict(release.headline)
    assert headline.pop("linkage") == pytest.approx(linkage(original[columns], masked[columns], numbers))
    assert headline == expected

    measured = json.loads(run("measure", "raw.csv", "out.csv", "--quick", "--json", cwd=tmp_path).stdout)
    assert measured["headline"] == pytest.approx(release.headline)
    assert measured["risk"]["k_anonymity"] >= 3
