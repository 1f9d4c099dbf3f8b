"""Record swapping: places are exchanged whole, those at risk first, and what should stay does."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles.slow_swaps import slow_agree, slow_at_risk, slow_partners
from shoal.errors import ColumnError, DataError, ParameterError
from shoal.parameters.choices import build, written_form
from shoal.replace.perturb.base import Part
from shoal.replace.perturb.record_swap import RecordSwap, agreement, paired, units_at_risk
from shoal.replace.synthetic.synthetic import added_up


def rng_of(seed):
    return np.random.default_rng([seed, 2])


def part_of(values, beside=None, k=3, units=None):
    values = {name: np.asarray(column, dtype=np.float64) for name, column in values.items()}
    beside = {name: np.asarray(column, dtype=np.int64) for name, column in (beside or {}).items()}
    return Part(values, dict.fromkeys(values, "nominal"), beside, k, units=units)


def swapped(method, part, seed=0):
    """Return the columns after swapping, and the result."""
    result = method.perturbed(part, rng_of(seed))
    assert result.computed == {}
    assert list(result.taken) == list(part.values)
    return {name: part.values[name][result.taken[name]] for name in part.values}, result


def counts_of(result):
    return [(one.count, one.of) for one in result.tallies]


@st.composite
def drawn_parts(draw):
    """Small files with ties, with units or without, districts within regions, and some missing places."""
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    n = draw(st.integers(1, 24))
    units = np.unique(rng.integers(0, draw(st.integers(1, 20)), n), return_inverse=True)[1].reshape(-1)
    if draw(st.booleans()):
        units = None
    numbered = np.arange(n) if units is None else units
    region = rng.integers(0, draw(st.integers(1, 3)), n)[numbered].astype(float)
    district = 10 * region + rng.integers(0, 2, n)[numbered]
    if draw(st.booleans()):
        district[(rng.random(n) < 0.1)[numbered]] = np.nan
    beside = {name: rng.integers(-1, 2, n) for name in ("sex", "water")} | {"roof": rng.integers(0, 2, n)[numbered]}
    return part_of({"region": region, "district": district}, beside, draw(st.integers(1, 30)), units)


names = st.lists(st.sampled_from(["sex", "water", "roof"]), unique=True, max_size=2)

methods = st.builds(
    RecordSwap,
    geography=st.sampled_from([None, ["district"], ["region", "district"]]),
    within=names,
    similar=names,
    keys=names,
    rate=st.sampled_from([0.0, 0.05, 0.3, 1.0]),
)


@given(drawn_parts(), methods, st.integers(0, 99))
def test_swaps_are_those_of_the_slow_version(part, method, seed):
    values, _ = swapped(method, part, seed)
    n = len(part)
    units = np.arange(n) if part.units is None else part.units
    order = rng_of(seed).permutation(len(np.unique(units)))
    numbered = order[units].tolist()
    codes = {name: np.where(np.isnan(column), -1, column) for name, column in part.values.items()} | dict(part.beside)
    columns = [
        [codes[name].tolist() for name in some or ()]
        for some in (method.geography or list(part.values), method.within, method.similar, method.keys)
    ]
    partner = slow_partners(*columns, numbered, part.k, method.rate)
    for name, column in part.values.items():
        if name in (method.geography or part.values):
            wanted = [column[numbered.index(partner.get(unit, unit))] for unit in numbered]
            assert np.array_equal(values[name], wanted, equal_nan=True)
        else:
            assert np.array_equal(values[name], column, equal_nan=True)


@given(drawn_parts(), methods, st.integers(0, 99))
def test_places_move_whole_and_each_keeps_its_units(part, method, seed):
    before = {name: column.copy() for name, column in part.values.items()}
    values, result = swapped(method, part, seed)
    units = np.arange(len(part)) if part.units is None else part.units
    first = np.unique(units, return_index=True)[1]
    places, moved = (
        [tuple(column[name][row] for name in ("region", "district")) for row in range(len(part))]
        for column in (before, values)
    )
    assert all(moved[row] == moved[first[units[row]]] or np.isnan(before["district"][row]) for row in range(len(part)))
    for name, column in before.items():
        assert np.array_equal(np.isnan(values[name]), np.isnan(column))
        assert np.array_equal(part.values[name], column, equal_nan=True)
        assert Counter(values[name][first].tolist()).total() == len(first)
    complete = [row for row in first if not np.isnan(before["district"][row])]
    if method.geography != ("district",):
        assert Counter(places[row] for row in complete) == Counter(moved[row] for row in complete)
    (total, of), (at_risk, risky), (alone, _), (at_random, _), (unequal, _), _ = counts_of(result)
    assert of == len(first) and at_risk + alone == risky and at_random <= total
    assert at_random == 0 or total < method.rate * of + 2
    if not unequal:
        for name in before:
            assert np.array_equal(np.sort(values[name]), np.sort(before[name]), equal_nan=True)


@given(st.integers(0, 10_000), st.integers(1, 40), st.integers(1, 5))
def test_the_distribution_of_places_within_and_by_similar_stays(seed, n, k):
    """Records without units are of equal size: `within` stays always, `similar` if all pairs agree there."""
    rng = np.random.default_rng(seed)
    place, kind, sex = rng.integers(0, 4, n), rng.integers(0, 2, n), rng.integers(0, 2, n)
    part = part_of({"place": place}, {"kind": kind, "sex": sex, "key": rng.integers(0, 5, n)}, k)
    method = RecordSwap(within=["kind"], similar=["sex"], keys=["key"], rate=0.5)
    values, result = swapped(method, part, seed)
    new = values["place"].astype(int)
    assert Counter(zip(new, kind, strict=True)) == Counter(zip(place, kind, strict=True))
    if result.tallies[-1].count == 0:
        assert Counter(zip(new, kind, sex, strict=True)) == Counter(zip(place, kind, sex, strict=True))


def test_those_at_risk_are_swapped_and_by_random_others_up_to_the_rate():
    """A single record with the key 1 in each of two places, and 98 others: the two find each other or someone else."""
    place, key = np.repeat([0, 1], 50), np.zeros(100, dtype=int)
    key[[0, 99]] = 1
    part = part_of({"place": place}, {"key": key}, 2)
    values, result = swapped(RecordSwap(keys=["key"], rate=0.0), part)
    assert values["place"][0] == 1 and values["place"][99] == 0
    assert counts_of(result)[1:4] == [(2, 2), (0, 2), (0, 100)]
    values, result = swapped(RecordSwap(keys=["key"], rate=0.29), part)
    assert (values["place"] != place).sum() == 30
    assert values["place"][0] == 1 and values["place"][99] == 0
    assert (swapped(RecordSwap(keys=["key"], rate=1.0), part)[0]["place"] != place).all()


def test_rounding_adds_no_pair():
    """0.14 of 100 are 14, and a little more as a float; a rate that asks for less than a pair gives one."""
    part = part_of({"place": np.arange(100) % 2})
    assert swapped(RecordSwap(rate=0.14), part)[1].tallies[0].count == 14
    assert swapped(RecordSwap(rate=0.001), part)[1].tallies[0].count == 2
    assert swapped(RecordSwap(rate=0.0), part)[1].tallies[0].count == 0


def test_everyone_at_risk_is_swapped_whatever_the_rate():
    place = np.tile([0, 1], 10)
    part = part_of({"place": place}, {"key": np.arange(20)}, 2)
    values, result = swapped(RecordSwap(keys=["key"], rate=0.0), part)
    assert np.array_equal(values["place"], 1 - place)
    assert added_up(result.tallies) == (
        "20 of 20 records exchanged their places with others.",
        "20 of 20 records at risk, with fewer than k in their place, were swapped.",
    )


def test_a_similar_partner_comes_first_and_a_fitting_size_before():
    units = np.array([0, 0, 1, 1, 2, 3, 3])
    place = np.array([0, 0, 1, 1, 1, 1, 1])
    roof = np.array([5, 5, 6, 6, 5, 7, 7])
    water = np.array([1, 1, 1, 1, 1, 2, 2])
    key = np.array([1, 0, 0, 0, 0, 0, 0])
    part = part_of({"place": place}, {"roof": roof, "water": water, "key": key}, 2, units)
    for seed in range(20):
        values, _ = swapped(RecordSwap(similar=["water", "roof"], keys=["key"], rate=0.0), part, seed)
        assert values["place"].tolist() == [1, 1, 0, 0, 1, 1, 1]  # unit 1: as many records, the same water
        values, result = swapped(RecordSwap(within=["roof"], keys=["key"], rate=0.0), part, seed)
        assert values["place"].tolist() == [1, 1, 1, 1, 0, 1, 1]  # unit 2: the only one with that roof
        assert result.tallies[4].count == 2


def test_the_coarser_place_stays_where_it_can():
    """At risk in its district only: the partner is of the same region. At risk in its region: of another one."""
    region = np.repeat([0, 1], 20)
    district = np.repeat([0, 1, 2, 3], 10)
    key = np.zeros(40, dtype=int)
    key[[0, 10]] = 1
    method = RecordSwap(geography=["region", "district"], keys=["key"], rate=0.0)
    for seed in range(20):
        part = part_of({"region": region, "district": district}, {"key": key}, 2)
        values, _ = swapped(method, part, seed)
        assert np.array_equal(values["region"], region)
        assert values["district"][[0, 10]].tolist() == [1, 0]
        part = part_of({"region": region, "district": district}, {"key": key}, 3)
        values, _ = swapped(method, part, seed)
        assert values["region"][[0, 10]].tolist() == [1, 1]


def test_random_units_are_chosen_whatever_they_are_like():
    """A household of its own kind is swapped about as often as others, though its partner is not alike."""
    units = np.arange(40)
    part = part_of({"place": units % 2}, {"roof": np.where(units == 0, 1, 0)}, 1)
    method = RecordSwap(similar=["roof"], rate=0.2)
    often = sum(swapped(method, part, seed)[0]["place"][0] != 0 for seed in range(300))
    assert 20 <= often <= 50  # chosen in 4 of 40 draws as the first of a pair, and hardly ever as the second


@pytest.mark.parametrize("units", [None, np.array([0, 1, 2, 3])])
def test_nobody_to_swap_with(units):
    part = part_of({"place": np.zeros(4)}, {"key": np.arange(4)}, 99, units)
    values, result = swapped(RecordSwap(keys=["key"], rate=1.0), part)
    assert values["place"].tolist() == [0, 0, 0, 0]
    word = "records" if units is None else "units"
    assert added_up(result.tallies) == (
        f"No {word} exchanged their places.",
        f"4 of 4 {word} at risk found no partner in another place and stay where they are.",
    )


def test_one_record():
    assert swapped(RecordSwap(), part_of({"place": [3]}))[0]["place"].tolist() == [3]


def test_a_unit_in_two_places_is_refused():
    part = part_of({"place": [0, 1, 1]}, units=np.array([7, 7, 8]))
    with pytest.raises(DataError, match='moves units whole, but 1 have records with different values of "place"'):
        RecordSwap().perturbed(part, rng_of(0))


def test_columns_have_to_be_there():
    part = part_of({"place": [0, 1]}, {"sex": [0, 1], "size": [1, 1]})
    for field in ("geography", "within", "similar", "keys"):
        with pytest.raises(ColumnError, match=r'"sx", which is not there\. Did you mean "sex"') as error:
            RecordSwap(**{field: ["sx"]}).perturbed(part, rng_of(0))
        assert error.value.column == "sx"
    with pytest.raises(ColumnError, match='cannot exchange "sex", which is not among the columns to protect'):
        RecordSwap(geography=["sex"]).perturbed(part, rng_of(0))
    with pytest.raises(ParameterError, match="no column to exchange"):
        RecordSwap(keys=["place"]).perturbed(part, rng_of(0))
    for field in ("within", "similar"):
        with pytest.raises(ColumnError, match=f"in geography and in {field}"):
            RecordSwap(geography=["place"], **{field: ["place"]})
    with pytest.raises(ParameterError, match="at least"):
        RecordSwap(geography=[])


@pytest.mark.parametrize("name", RecordSwap.limits)
def test_bad_parameters_are_refused(name):
    for value in RecordSwap.limits[name].bad_values():
        with pytest.raises(ParameterError, match=name):
            RecordSwap(**{name: value})


@pytest.mark.parametrize(
    ("text", "method"),
    [
        ("record-swap", RecordSwap()),
        (
            "record-swap:geography=[region,district],keys=[sex],rate=.1",
            RecordSwap(geography=["region", "district"], keys=["sex"], rate=0.1),
        ),
    ],
)
def test_a_plan_and_the_command_line_can_hold_it(text, method):
    registry = {"record-swap": RecordSwap}
    assert build(written_form(text, registry, "replace"), registry, "replace") == method
    assert build(written_form(method, registry, "replace"), registry, "replace") == method


def test_households_of_testdata(reference_data):
    """Town and country of 1,000 households: whole ones move, and the count of persons by size stays."""
    data = pd.read_csv(reference_data("testdata.csv"))
    codes = {name: pd.factorize(data[name])[0] for name in ("roof", "walls", "water", "relat", "sex")}
    units = pd.factorize(data["ori_hid"])[0]
    part = part_of({"urbrur": data["urbrur"]}, codes, 3, units)
    method = RecordSwap(keys=["roof", "water", "sex"], similar=["roof", "walls"], rate=0.05)
    values, result = swapped(method, part)
    assert (data.assign(new=values["urbrur"]).groupby("ori_hid")["new"].nunique() == 1).all()
    first = np.unique(units, return_index=True)[1]
    assert np.array_equal(np.bincount(data["urbrur"][first]), np.bincount(values["urbrur"][first].astype(int)))
    (total, of), (at_risk, risky), (alone, _), *_ = counts_of(result)
    assert of == len(first) and 0 < at_risk <= total and at_risk + alone == risky


def slow_pairs(codes, areas, wanting, free):
    free, pairs = free.copy(), []
    for unit in np.flatnonzero(wanting):
        others = [one for one in np.flatnonzero(free) if codes[one] == codes[unit] and areas[one] != areas[unit]]
        if free[unit] and others:
            free[[unit, others[0]]] = False
            pairs.append((int(unit), int(others[0])))
    return pairs


@given(st.integers(0, 10_000), st.integers(1, 40), st.integers(1, 3), st.integers(1, 5), st.floats(0, 1))
def test_everyone_gets_the_first_who_is_free(seed, n, codes, areas, share):
    rng = np.random.default_rng(seed)
    codes, areas = rng.integers(0, codes, n), rng.integers(0, areas, n)
    wanting, free = rng.random(n) < share, rng.random(n) < 0.8
    before = free.copy()
    assert sorted(paired(codes, areas, wanting, free)) == sorted(slow_pairs(codes, areas, wanting, free))
    assert np.array_equal(free, before)


@given(st.integers(0, 10_000), st.integers(1, 25), st.integers(1, 12), st.integers(0, 3))
def test_units_agree_by_their_records(seed, n, units, columns):
    rng = np.random.default_rng(seed)
    units = np.unique(rng.integers(0, units, n), return_inverse=True)[1].reshape(-1)
    first = np.unique(units, return_index=True)[1]
    made = [rng.integers(-1, 2, n) for _ in range(columns)]
    if columns > 1:
        made[0] = made[0][first][units]  # one that is constant within units
    numbers = agreement(made, units, first)
    for one in range(len(first)):
        for other in range(len(first)):
            same = slow_agree([column.tolist() for column in made], units.tolist(), one, other)
            assert (numbers[one] == numbers[other]) == same


@given(st.integers(0, 10_000), st.integers(1, 30), st.integers(1, 15), st.integers(0, 3), st.integers(1, 40))
def test_who_is_at_risk(seed, n, units, columns, k):
    rng = np.random.default_rng(seed)
    units = np.unique(rng.integers(0, units, n), return_inverse=True)[1].reshape(-1)
    made = [rng.integers(-1, 2, n) for _ in range(columns)]
    assert set(np.flatnonzero(units_at_risk(made, units, k))) == slow_at_risk(made, units, k)
