"""The transparency attack: the worked values of the methods, brute force over all pairs, and what must always hold."""

from __future__ import annotations

import json
import warnings
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from oracles import slow_attack
from shoal.errors import ColumnError, NotApplicableError, ParameterError
from shoal.measure.risk.attacks.candidate_groups import bracketing_groups, groups_by_value
from shoal.measure.risk.attacks.remaining_records import remaining_records
from shoal.measure.risk.attacks.transparency_attack import transparency_attack
from shoal.measure.risk.distance_linkage import distance_linkage

# The order of another public copy of Census, in which the worked values for blocks of three were computed.
BLOCKS_OF_THREE = [
    ["AFNLWGT", "AGI", "EMCONTRB"],
    ["FEDTAX", "PTOTVAL", "STATETAX"],
    ["TAXINC", "POTHVAL", "INTVAL"],
    ["PEARNVAL", "FICA", "WSALVAL"],
    ["ERNVAL"],
]


@pytest.fixture
def census(reference_data):
    return pd.read_csv(reference_data("census.csv"))


def masked_one_by_one(frame: pd.DataFrame, k: int) -> pd.DataFrame:
    kinds = dict.fromkeys(frame, "continuous")
    return shoal.protect(frame, k, kinds=kinds, method="optimal-univariate", blocks=1, seed=0).data


@pytest.mark.parametrize(
    ("k", "one", "pairs", "pairs_certain", "two_certain", "three_certain"),
    [
        (3, 12.5, 85.9, 79.2, 96.5, 99.9),
        (5, 8.1, 80.2, 70.2, 92.2, 99.8),
        (10, 4.5, 65.3, 47.5, 70.3, 98.2),
    ],
)
def test_census_masked_one_by_one(census, k, one, pairs, pairs_certain, two_certain, three_certain):
    """The table of METHODS 14."""
    masked = masked_one_by_one(census, k)

    def attack(known):
        found = transparency_attack(census, masked, method="optimal-univariate", k=k, known=known)
        assert found.coverage == 100
        assert found.false_unique == 0
        return found

    # Which of several equally good partitions was taken shows in the second decimal: 12.448 here at k=3.
    assert attack(1).expected == pytest.approx(one, abs=0.06)
    found = attack(2)
    assert found.choices == found.choices_possible == 78
    assert (round(found.expected, 1), round(found.certain, 1)) == (pairs, pairs_certain)
    assert round(attack(["AFNLWGT", "AGI"]).certain, 1) == two_certain
    assert round(attack(["AFNLWGT", "AGI", "EMCONTRB"]).certain, 1) == three_certain


@pytest.mark.parametrize(
    ("k", "blocks", "nearest", "certain", "false_unique"),
    [(3, 2, 2, 81.7, 0.8), (3, 5, 5, 97.2, 0.1), (10, 4, 3, 80.8, 0.6)],
)
def test_census_in_blocks_of_three(census, k, blocks, nearest, certain, false_unique):
    """METHODS 14, for the first blocks in its order of the columns."""
    masked = shoal.protect(census, k, blocks=BLOCKS_OF_THREE, seed=0).data
    found = transparency_attack(
        census,
        masked,
        method="mdav",
        k=k,
        blocks=BLOCKS_OF_THREE,
        known=BLOCKS_OF_THREE[:blocks],
        nearest=nearest,
    )
    assert (round(found.certain, 1), round(found.false_unique, 1)) == (certain, false_unique)


def test_the_toy():
    """METHODS 14: a target at 9 is in one of the first two groups of 1,2,3, 10,11,12, 20,21,22,23, k=3."""
    toy = np.array([[1.0, 2, 3, 10, 11, 12, 20, 21, 22, 23]]).T
    masked = np.array([[2.0, 2, 2, 11, 11, 11, 21.5, 21.5, 21.5, 21.5]]).T
    np.testing.assert_array_equal(masked_one_by_one(pd.DataFrame(toy), 3), masked)
    toy[3] = 9
    block = groups_by_value(toy, masked, np.ones(10, dtype=bool))
    rule = bracketing_groups(block)
    assert rule(np.array([3]), 1).groups.tolist() == [0, 1]
    left = remaining_records([block], [rule], np.arange(10))
    assert left.counts.tolist() == [3, 6, 6, 6, 10, 7, 7, 7, 4, 4]
    assert left.has_true.all()


def test_a_value_at_a_centre_can_be_in_three_groups_and_equal_centres_are_one():
    """Of 1, 1, 1, 1, 2, 3 in groups of two, the centres are 1, 1 and 2.5; METHODS 14 says why 1 needs both sides."""
    values = np.array([[1.0, 1, 1, 1, 2, 3]]).T
    masked = np.array([[1.0, 1, 1 + 1e-13, 1 + 1e-13, 2.5, 2.5]]).T
    block = groups_by_value(values, masked, np.ones(6, dtype=bool))
    assert block.sizes.tolist() == [4, 2]
    assert remaining_records([block], [bracketing_groups(block)], np.arange(6)).counts.tolist() == [6, 6, 6, 6, 6, 2]


@pytest.mark.parametrize("nearest", [None, 1, 3])
@pytest.mark.parametrize("whole", [False, True], ids=["continuous", "many ties"])
def test_nearest_groups_are_those_of_brute_force(nearest, whole):
    rng = np.random.default_rng(5)
    for k in (2, 4):
        X = rng.integers(0, 4, (90, 6)).astype(float) if whole else rng.normal(size=(90, 6))
        names = [str(name) for name in range(6)]
        Y = shoal.protect(X, k, kinds=dict.fromkeys(names, "continuous"), blocks=2, seed=0).data
        for known in combinations(range(3), 2):
            columns = [[2 * block, 2 * block + 1] for block in known]
            found = transparency_attack(
                pd.DataFrame(X, columns=names),
                pd.DataFrame(np.asarray(Y), columns=names),
                method="mdav",
                k=k,
                blocks=2,
                known=[[names[column] for column in block] for block in columns],
                nearest=nearest,
            )
            expected = slow_attack.rates(slow_attack.by_distance(X, np.asarray(Y), columns, nearest=nearest))
            assert {name: found.parts[name] for name in expected} == pytest.approx(expected)
            assert found == max(found.expected, found.best_guess, found.linkage)


def test_some_variables_of_a_block_are_those_of_brute_force():
    rng = np.random.default_rng(6)
    X = pd.DataFrame(rng.normal(size=(120, 5)), columns=list("abcde"))
    Y = shoal.protect(X, 3, seed=0).data
    found = transparency_attack(X, Y, method="mdav", k=3, known=2)
    assert found.choices == 10
    for rates in found.by_choice:
        columns = [list("abcde").index(name) for name in rates["known"]]
        expected = slow_attack.rates(slow_attack.by_distance(X.to_numpy(), Y.to_numpy(), [columns]))
        assert rates["expected"] == pytest.approx(expected["expected"])
    assert found.expected == pytest.approx(np.mean([rates["expected"] for rates in found.by_choice]))
    assert found == pytest.approx(np.mean([max(rates["expected"], rates["linkage"]) for rates in found.by_choice]))


whole_numbers = st.lists(st.tuples(*[st.integers(0, 12)] * 2), min_size=7, max_size=40)


@given(whole_numbers, st.integers(2, 3))
@settings(max_examples=60)
def test_the_truth_is_always_among_the_candidates_of_interval_methods(rows, k):
    """With and without what optimality adds, on files full of ties."""
    X = np.array(rows, dtype=float)
    X[0], X[1] = 0, 13
    Y = masked_one_by_one(pd.DataFrame(X), k)
    plain = transparency_attack(X, Y, method="optimal-univariate", k=k)
    refined = transparency_attack(X, Y, method="optimal-univariate", k=k, refine=True)
    assert plain.coverage == refined.coverage == 100
    assert refined.expected >= plain.expected - 1e-9
    assert refined.candidates <= plain.candidates


@given(whole_numbers, st.randoms(use_true_random=False), st.sampled_from([1e-6, 0.1, 3.0, 1.7e8]))
@settings(max_examples=25)
def test_neither_order_nor_unit_matters(rows, random, unit):
    X = np.array(rows, dtype=float)
    X[0], X[1] = 0, 13
    order = list(range(len(rows)))
    random.shuffle(order)
    for method, blocks in (("optimal-univariate", 1), ("mdav", 2)):
        kinds = {0: "continuous", 1: "continuous"}
        Y = np.asarray(shoal.protect(X, 3, kinds=kinds, method=method, blocks=blocks, seed=0).data)
        first = transparency_attack(X, Y, method=method, k=3, blocks=blocks)
        second = transparency_attack(X[order] * unit, Y[order] * unit, method=method, k=3, blocks=blocks)
        for part in ("expected", "certain", "coverage", "false_unique", "candidates"):
            assert first.parts[part] == pytest.approx(second.parts[part], rel=1e-9)


def test_masking_again_gives_the_groups_away(census):
    """Level 2: the record is always among the candidates, which are those of a brute-force join of the groups."""
    release = shoal.protect(census, 3, blocks=3, seed=0)
    names = list(census)
    found = transparency_attack(
        census, release.data, method="mdav", k=3, blocks=3, known=[names[:3], names[3:6]], level=2
    )
    first, second = (release.partitions[block].labels for block in (0, 1))
    alike = np.array([((first == one) & (second == other)).sum() for one, other in zip(first, second, strict=True)])
    assert found.coverage == 100
    assert found.expected == pytest.approx(100 * np.mean(1 / alike))
    assert found.certain == pytest.approx(100 * np.mean(alike == 1))


def test_only_what_can_be_repeated_is_masked_again():
    frame = shoal.datasets.expenditure()
    masked = shoal.protect(frame, 3).data
    names = list(masked.select_dtypes("number"))

    def attack(method, **more):
        return transparency_attack(frame, masked, columns=names, method=method, k=3, level=2, **more)

    with pytest.raises(ParameterError, match="draws at random: give its random_state"):
        attack("k-means")
    with pytest.raises(ParameterError, match="searches by the clock: give its steps"):
        attack("refine:random_state=1")
    with pytest.raises(ParameterError, match="every column is known"):
        attack("mdav", known=names[:1])
    assert attack("mdav").coverage == 100
    with pytest.raises(NotApplicableError, match="without missing values"):
        holes = masked.copy()
        holes.loc[0, names[0]] = np.nan
        transparency_attack(frame, holes, columns=names, method="mdav", k=3, level=2)


def test_plain_linkage_stands_beside_it(census):
    """All that the intruder gains by knowing the method; distance linkage has its own tests."""
    masked = masked_one_by_one(census, 5)
    found = transparency_attack(census, masked, method="optimal-univariate", k=5, known=["AFNLWGT", "AGI"])
    assert found.linkage == pytest.approx(float(distance_linkage(census, masked, columns=["AFNLWGT", "AGI"])))
    assert found.excess == found - found.linkage >= 0


def test_of_a_large_file_some_targets_are_drawn():
    rng = np.random.default_rng(7)
    X = rng.normal(size=(20_001, 2))
    Y = masked_one_by_one(pd.DataFrame(X), 3)
    whole = transparency_attack(X, Y, method="optimal-univariate", k=3, sample=None)
    part = transparency_attack(X, Y, method="optimal-univariate", k=3, seed=3)
    assert (whole.sampled, part.sampled, part.records) == (None, 2000, 20_001)
    assert part == pytest.approx(whole, abs=3)
    assert part == transparency_attack(X, Y, method="optimal-univariate", k=3, seed=3)


def test_of_many_choices_some_are_drawn():
    rng = np.random.default_rng(8)
    X = pd.DataFrame(rng.normal(size=(30, 16)))
    Y = masked_one_by_one(X, 3)
    found = transparency_attack(X, Y, method="optimal-univariate", k=3, known=3)
    assert (found.choices, found.choices_possible) == (200, 560)
    assert "by_choice" not in found.parts
    assert found == transparency_attack(X, Y, method="optimal-univariate", k=3, known=3)


def test_an_estimator_or_a_mapping_may_be_the_method():
    frame = shoal.datasets.expenditure().select_dtypes("number")
    masked = shoal.protect(frame, 3).data
    found = [
        transparency_attack(frame, masked, method=method, k=3)
        for method in ("mdav", {"name": "mdav"}, shoal.partition.MDAV(3), "mdav:variant=two-k")
    ]
    assert len(set(found)) == 1
    assert json.loads(json.dumps(dict(found[3].parts)))["method"] == "mdav:variant=two-k"


def test_constants_and_words_are_left_out():
    rng = np.random.default_rng(8)
    X = pd.DataFrame(rng.normal(size=(60, 2)), columns=["x", "y"])
    Y = masked_one_by_one(X, 3)
    expected = transparency_attack(X, Y, method="optimal-univariate", k=3)
    X, Y = (file.assign(same=1.0, empty=np.nan, word="w") for file in (X, Y))
    assert transparency_attack(X, Y, method="optimal-univariate", k=3) == pytest.approx(float(expected))


def with_missing_values(seed: int, way: str) -> tuple[np.ndarray, np.ndarray]:
    """Return an original with missing values, and groups of it: missing still, filled, or missing in a whole group."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 5)).round(1)
    X[:, 4] = rng.integers(0, 3, 60)
    Y = X.copy()
    for group in np.array_split(np.argsort(X[:, 0]), 15):
        Y[group, :4] = X[group, :4].mean(axis=0).round(1)
        Y[group, 4] = X[group[0], 4]
    missing = rng.random(X.shape) < 0.2
    X[missing] = np.nan
    if way != "fill":
        Y[missing] = np.nan
    if way == "suppress":
        for column in (1, 3):
            Y[np.isin(Y[:, column], Y[::4, column]), column] = np.nan
    return X, Y


@pytest.mark.parametrize("way", ["keep", "fill", "suppress"])
def test_missing_values_are_known_and_distances_are_over_what_both_have(way):
    """METHODS 14: every record is a target, whatever it lacks."""
    for seed in range(4):
        X, Y = with_missing_values(seed, way)
        original, masked = (pd.DataFrame(file, columns=list("abcde")) for file in (X, Y))
        options = {"method": "mdav", "k": 4, "kinds": {"e": "nominal"}, "blocks": [["a", "b", "e"], ["c", "d"]]}
        found = transparency_attack(original, masked, **options)
        expected = slow_attack.rates(slow_attack.by_distance(X, Y, [[0, 1, 4], [2, 3]], nominal={4}))
        assert found.records == 60
        assert {name: found.parts[name] for name in expected} == pytest.approx(expected)
        numbers = transparency_attack(original, masked, method="mdav", k=4, blocks=[["a", "b", "c", "d"]])
        expected = slow_attack.rates(slow_attack.by_distance(X, Y, [[0, 1, 2, 3]]))
        # "e" is outside of the blocks and was changed, so that nobody uses it.
        assert {name: numbers.parts[name] for name in expected} == pytest.approx(expected)


@pytest.mark.parametrize("way", ["keep", "fill", "suppress"])
def test_intervals_with_missing_values(way):
    """The truth is never ruled out, but where its value was suppressed others may be likelier."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(60, 2))
    Y = np.asarray(masked_one_by_one(pd.DataFrame(X), 3))
    missing = rng.random(X.shape) < 0.2
    X[missing] = np.nan
    if way != "fill":
        Y = np.where(missing, np.nan, Y)
    if way == "suppress":
        first = Y[~missing[:, 0], 0][0]
        Y = np.where(first == Y, np.nan, Y)
    found = transparency_attack(X, Y, method="optimal-univariate", k=3)
    suppressed = (np.isnan(Y) & ~missing).any(axis=1)
    assert 100 >= found.coverage >= 100 * np.mean(~suppressed) - 1e-9
    if way == "fill":  # whom nothing is known of may be anybody
        assert 60 * found.candidates >= 60 * missing.all(axis=1).sum() > 0
    elif way == "keep":
        alike = [sum((own == other).all() for other in missing) for own in missing]
        assert found.candidates < np.mean(alike)


def test_every_rate_is_one_of_all_records():
    """A cohort of which a handful of records is complete: what is found of these is not found of the file."""
    rng = np.random.default_rng(5)
    X = pd.DataFrame(rng.normal(size=(300, 8)), columns=list("abcdefgh"))
    X = X.mask(rng.random(X.shape) < 0.4)
    release = shoal.protect(X, 5, missing="fill", seed=1)
    evaluation = release.evaluate(measures=["transparency_attack", "distance_linkage"])
    attack = evaluation.transparency_attack
    assert evaluation.complete_records < 10 and attack.records == 300
    assert attack.certain == 0 and attack.expected < 20.0001 and attack.coverage > attack.expected
    assert attack.linkage == evaluation.distance_linkage <= attack


@given(st.integers(0, 10**6), st.sampled_from(["mdav", "optimal-univariate", "fuzzy", "at-least-k", "entropy"]))
@settings(max_examples=25)
def test_who_knows_more_finds_no_less_than_by_plain_linkage(seed, method):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.gamma(1, 1, size=(50, 3)).round(1), columns=list("abc"))
    ways = {"at-least-k": {"replace": "membership-draw"}, "optimal-univariate": {"blocks": 1}}
    how = ways.get(method, {})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        release = shoal.protect(X, 3, kinds=dict.fromkeys(X, "continuous"), method=method, seed=seed, **how)
    evaluation = release.evaluate(measures=["transparency_attack", "distance_linkage"])
    attack = evaluation.transparency_attack
    assert attack >= max(attack.expected, attack.best_guess, attack.linkage, attack.certain) - 1e-9
    assert attack.linkage == pytest.approx(float(evaluation.distance_linkage))


@pytest.mark.parametrize("blocks", [None, 2])
def test_drawn_centres_are_as_likely_as_their_memberships(blocks):
    rng = np.random.default_rng(7)
    X = rng.normal(size=(60, 4))
    release = shoal.protect(
        X, 3, kinds=dict.fromkeys("0123", "continuous"), method="fuzzy:m=1.4", blocks=blocks, seed=1
    )
    found = release.evaluate(measures=["transparency_attack"]).transparency_attack
    cut = [[0, 1, 2, 3]] if blocks is None else [[0, 1], [2, 3]]
    expected = slow_attack.rates(slow_attack.by_membership(X, np.asarray(release.data), 1.4, cut))
    assert {name: found.parts[name] for name in expected} == pytest.approx(expected)
    assert found.expected != pytest.approx(found.best_guess)


def test_centres_drawn_variable_by_variable_are_put_together_from_what_goes_together():
    """Two centres, of which two records near the middle drew the variables apart: memberships are multiplied."""
    X = np.concatenate([np.arange(6.25), np.arange(100.25, 106)])[:, None] * [1.0, 2.0] + [0.25, 0]
    X[5], X[11] = (40, 60), (60, 140)
    centres = np.array([[3.0, 6.0], [102.0, 205.0]])
    Y = centres[(X[:, 0] > 50).astype(int)]
    Y[5, 1], Y[11, 0] = 205.0, 3.0
    original, masked = (pd.DataFrame(file, columns=["a", "b"]) for file in (X, Y))
    how = {"method": "fuzzy:m=2", "k": 3, "replace": "membership-draw:per_variable=true"}
    found = transparency_attack(original, masked, **how)
    apart = (((X[:, None] - centres) / X.std(axis=0, ddof=1)) ** 2).sum(axis=2)
    shares = (1 / apart) / (1 / apart).sum(axis=1, keepdims=True)
    shares[shares < 0.001] = 0
    drawn = (Y[:, None, :] == centres).argmax(axis=1)
    chances = [[float(own[first] * own[second]) for first, second in drawn] for own in shares]
    expected = slow_attack.rates(chances)
    assert {name: found.parts[name] for name in expected} == pytest.approx(expected)


def test_what_cannot_be_attacked():
    frame = pd.DataFrame({"x": np.arange(9.0), "y": np.arange(9.0) ** 2, "w": list("abcabcabc")})
    options = {"method": "mdav", "k": 3}
    with pytest.raises(NotApplicableError, match="a variable that varies"):
        transparency_attack(frame[["w"]], frame[["w"]], **options)
    with pytest.raises(NotApplicableError, match="known variable of a block that varies"):
        transparency_attack(frame.assign(w="a"), frame, blocks=[["x", "w"], ["y"]], known=["w"], **options)
    assert transparency_attack(frame[["x"]], frame[["x"]].assign(x=np.nan), **options) == pytest.approx(100 / 9)
    with pytest.raises(ColumnError, match='blocks names "z"'):
        transparency_attack(frame, frame, blocks=[["z"]], **options)
    with pytest.raises(ColumnError, match='blocks names "x" more than once'):
        transparency_attack(frame, frame, blocks=[["x"], ["x"]], **options)
    with pytest.raises(ColumnError, match='known names "z"'):
        transparency_attack(frame, frame, known=["z"], **options)
    with pytest.raises(ParameterError, match="known must be a whole number from 1 to 2"):
        transparency_attack(frame, frame, known=3, **options)
    with pytest.raises(ParameterError, match="every block must have one"):
        transparency_attack(frame, frame, method="optimal-univariate", k=3, blocks=[["x", "y"]])
    with pytest.raises(ParameterError, match='There is no method "mdv"'):
        transparency_attack(frame, frame, method="mdv", k=3)
    with pytest.raises(ParameterError, match="k=3 and the method's k=4 differ"):
        transparency_attack(frame, frame, method=shoal.partition.MDAV(4), k=3)
    for bad in (
        {"level": 3},
        {"nearest": 0},
        {"sample": 0},
        {"refine": 1},
        {"blocks": 0},
        {"blocks": "x"},
        {"known": []},
    ):
        with pytest.raises((ParameterError, NotApplicableError), match=next(iter(bad))):
            transparency_attack(frame, frame, **options, **bad)


def test_the_intruder_knows_the_strata(reference_data):
    """Who masks each stratum again finds every group; who does not know of strata does not."""
    frame = shoal.read_table(reference_data("census.csv"))[["AGI", "FEDTAX", "INTVAL"]]
    frame["part"] = np.where(np.arange(len(frame)) % 3 == 0, "north", "south")
    release = shoal.protect(frame, 4, strata="part", seed=1)
    options = {"method": "mdav", "k": 4, "columns": ["AGI", "FEDTAX", "INTVAL"], "level": 2}
    knows = transparency_attack(frame, release.data, strata="part", **options)
    does_not = transparency_attack(frame, release.data, **options)
    assert knows.coverage == 100
    assert knows.expected == pytest.approx(100 * len(release.partitions[0].sizes) / len(frame))
    assert does_not.coverage < 60
    first = release.evaluate(measures=["transparency_attack"]).transparency_attack
    blind = transparency_attack(frame, release.data, **{**options, "level": 1})
    assert first.coverage > blind.coverage


def test_distances_as_the_release_took_them():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(120, 2)) * [1, 1000], columns=["a", "b"])
    masked = shoal.protect(frame, 3, standardize=False).data
    options = {"method": "mdav", "k": 3, "level": 2}
    assert transparency_attack(frame, masked, standardize=False, **options).coverage == 100
    assert transparency_attack(frame, masked, **options).coverage < 100


def test_names_with_commas_do_not_run_into_each_other():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(60, 3)), columns=["a,b", "a", "b"])
    found = []
    for names in (["a,b", "a", "b"], ["q", "a", "b"]):
        table = frame.set_axis(names, axis=1)
        blocks = [[names[0]], names[1:]]
        masked = shoal.protect(table, 3, blocks=blocks).data
        found.append(transparency_attack(table, masked, method="mdav", k=3, blocks=blocks, known=1))
    assert found[0] == found[1]
    assert [one["known"] for one in found[0].by_choice] == [["a,b"], ["a", "b"]]


def test_categories_agree_or_not_and_columns_as_they_are_agree():
    """Two groups with the same number are told apart by their category, and records by what was not masked."""
    original = pd.DataFrame({"x": [1.0, 3, 1, 3], "c": ["a", "a", "b", "b"], "d": ["p", "q", "p", "q"]})
    masked = original.assign(x=[2.0, 2, 2, 2])
    options = {"method": "mdav", "k": 2}
    numbers = transparency_attack(original[["x"]], masked[["x"]], **options)
    both = transparency_attack(original[["x", "c"]], masked[["x", "c"]], blocks=[["x", "c"]], **options)
    everything = transparency_attack(original, masked, blocks=[["x", "c"]], **options)
    assert (numbers, both, everything) == (25, 50, 100) and everything.certain == 100
    assert transparency_attack(original, masked, blocks=[["x", "c"]], known=["c"], **options) == 50
