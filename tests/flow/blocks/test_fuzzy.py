"""Fuzzy microaggregation through `protect`: k, rules, plans, and what the published algorithm would let through."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import shoal
from shoal.errors import (
    DataError,
    DescriptionWarning,
    DisclosureWarning,
    MethodError,
    ParameterError,
    PlanError,
    RuleError,
    TooFewRecordsError,
)
from shoal.partition.fuzzy import EntropyFuzzyCMeans, FuzzyCMeans
from shoal.replace import MembershipDraw
from unchanged_columns import protect_part

EIA = ["UTILITYID", "RESREVENUE", "RESSALES", "COMREVENUE", "COMSALES", "INDREVENUE", "INDSALES"]
EIA += ["OTHREVENUE", "OTHRSALES", "TOTREVENUE", "TOTSALES"]


def numbers(n=120, seed=0):
    rng = np.random.default_rng(seed)
    X = np.exp(rng.normal(size=(n, 3)) + rng.normal(size=(n, 1))).round(2)
    frame = pd.DataFrame(X, columns=["a", "b", "d"])
    frame["c"] = frame["a"] + frame["b"]
    return frame


def distinct(frame):
    return frame.groupby(list(frame.columns)).size()


@pytest.mark.parametrize(
    "method", ["fuzzy", "fuzzy:m=1", "entropy", "fuzzy:m=1.5,n_clusters=15", "fuzzy:part=30", "entropy:lam=2"]
)
@pytest.mark.parametrize("k", [2, 5])
def test_every_centre_is_shared_by_k_and_averages_k(method, k):
    release = shoal.protect(numbers(), k, method=method, seed=1)
    assert distinct(release.data).min() >= k
    assert release.partitions[0].k >= k
    assert release.plan.outcome.smallest_support >= k
    assert release.evaluate().unchanged.records == 0


@pytest.mark.parametrize("file", ["census", "tarragona", "eia"])
@pytest.mark.parametrize("k", [3, 5, 10])
@pytest.mark.parametrize("method", ["fuzzy", "fuzzy:m=1", "at-least-k"])
def test_no_record_of_the_reference_files_comes_out_unchanged(reference_data, file, k, method):
    """Issue: all variables within 1e-3 standard deviations."""
    frame = shoal.read_table(reference_data(f"{file}.csv"))
    columns = [name for name in frame.columns if name.upper() in EIA] if file == "eia" else list(frame.columns)
    assert len(columns) == (11 if file == "eia" else 13)
    masked = shoal.protect(frame[columns], k, method=method, replace="membership-draw", seed=1).data
    apart = ((frame[columns] - masked) / frame[columns].std()).abs()
    assert not (apart <= 1e-3).all(axis=1).any()


def test_the_published_algorithm_warns_and_names_what_it_lets_through(reference_data):
    """METHODS 10: about 104 records of Census, and about half of the centres; the start is drawn, so about."""
    frame = shoal.read_table(reference_data("census.csv"))
    with pytest.warns(DisclosureWarning, match=r"\d+ records come out unchanged, and \d+ of 360 centres") as caught:
        release = shoal.protect(frame, 3, method="fuzzy:m=1.1", replace=MembershipDraw(at_least=None), seed=1)
    same = int(str(caught[0].message).split(":")[1].split()[0])
    assert 70 <= same <= 140
    assert release.plan.outcome.smallest_group < 3


def test_a_plan_repeats_a_fuzzy_release(tmp_path):
    frame = numbers()
    release = shoal.protect(frame, 3, method="fuzzy", edits="a + b == c", seed=5)
    release.plan.to_toml(tmp_path / "plan.toml")
    again = shoal.Plan.from_toml(tmp_path / "plan.toml").run(frame)
    pd.testing.assert_frame_equal(again.data, release.data, check_exact=True)
    with pytest.warns(DisclosureWarning):
        release = shoal.protect(frame, 3, method="fuzzy", replace=MembershipDraw(at_least=None), seed=5)
    release.plan.to_toml(tmp_path / "plan.toml")
    assert shoal.Plan.from_toml(tmp_path / "plan.toml").replace["a"]["at_least"] == 0  # not "k" again


def test_the_plan_states_both_fuzzinesses_and_its_public_form_no_seed():
    release = shoal.protect(numbers(), 3, method="fuzzy:m=1.4", seed=987_654_321)
    assert (release.plan.method["m"], release.plan.replace["a"]["m2"]) == (1.4, 1.4)
    public = release.plan.public()
    assert public["method"]["m"] == 1.4
    assert public["replace"]["a"]["m2"] == 1.4
    assert "987654321" not in str(public)
    assert not {"seed", "input", "output"} & set(public)
    assert "random_state" not in public["method"]
    release = shoal.protect(numbers(), 3, method="entropy", replace="membership-draw:lam2=3", seed=1)
    assert (release.plan.method["lam"], release.plan.replace["a"]["lam2"]) == (10.0, 3.0)


def test_an_estimator_can_be_the_method():
    frame = numbers()
    for estimator, name in ((FuzzyCMeans(12, m=1.3), "fuzzy"), (EntropyFuzzyCMeans(12, lam=5.0), "entropy")):
        release = shoal.protect(frame, 4, method=estimator, seed=1)
        assert release.plan.method["name"] == name
        assert release.plan.method["n_clusters"] == 12
        assert len(release.partitions[0].sizes) <= 12
    with pytest.raises(ParameterError, match="rules in edits"):
        shoal.protect(frame, 4, method=FuzzyCMeans(12, m=1.3, constraints=([[1, 1, 0, -1]], [0])))


def test_rules_hold_afterwards_also_where_the_file_breaks_them():
    """Edited and masked in one step."""
    frame = numbers()
    rng = np.random.default_rng(1)
    noisy = frame.assign(c=frame["c"] * rng.normal(1, 0.1, len(frame)))
    masked = shoal.protect(
        noisy, 3, method="fuzzy", edits=["a + b == c", "d >= 0.5"], blocks=[list("abdc")], seed=1
    ).data
    assert (masked["a"] + masked["b"]).to_numpy() == pytest.approx(masked["c"].to_numpy(), rel=1e-9)
    assert masked["d"].min() >= 0.5 - 1e-9
    assert distinct(masked).min() >= 3


def test_rules_hold_block_by_block_and_for_constants():
    frame = numbers().assign(one=1.0)
    blocks = [["a", "b", "c", "one"], ["d"]]
    with pytest.warns(DescriptionWarning, match='All values of "one" are the same'):
        release = shoal.protect(frame, 3, method="entropy", blocks=blocks, edits=["a + b + one == c + 1"], seed=1)
    table = release.data
    assert (table["one"] == 1).all()
    assert (table["a"] + table["b"]).to_numpy() == pytest.approx(table["c"].to_numpy(), rel=1e-9)


def test_a_variable_without_a_rule_is_untouched_by_it():
    """On unchanged clusters: data that satisfy a rule give the same release with and without it."""
    frame = numbers()
    with_rule = shoal.protect(frame, 3, method="fuzzy", edits="a + b == c", blocks=[list(frame.columns)], seed=1).data
    without = shoal.protect(frame, 3, method="fuzzy", seed=1).data
    assert with_rule.to_numpy() == pytest.approx(without.to_numpy(), rel=1e-6)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"edits": ["a + z == c"]}, RuleError, 'names "z", which is no column'),
        ({"edits": ["a + b == c"], "columns": ["a", "b"]}, RuleError, '"c" in it, which is not protected'),
        ({"edits": ["a + b == c"], "blocks": [["a", "b"], ["c", "d"]]}, RuleError, "several blocks"),
        ({"edits": ["a == 1", "a == 2"]}, RuleError, "No record can satisfy"),
        ({"edits": ["a * b == c"]}, DataError, "break the rule"),  # no centre is moved onto a product
        ({"edits": ["d in original"]}, RuleError, 'No average keeps the rule "d in original".*use the method "mdav"'),
        ({"edits": ["a + b == c", "d in {1, 2}"]}, RuleError, 'No average keeps the rule "d in'),
        (
            {"edits": ["a * b >= 0", "a + b == c"], "columns": ["a", "b"]},
            RuleError,
            'names "c", which is not protected',
        ),
        ({"edits": ["a * b >= 0"], "blocks": [["a", "c"], ["b", "d"]]}, RuleError, "joins .* to another block"),
        ({"edits": ["a b"]}, RuleError, "cannot be read"),
        (
            {"edits": ["a + b == c"], "replace": "membership-draw:per_variable=true"},
            RuleError,
            "drawn for itself",
        ),
        ({"replace": "median"}, MethodError, "must be membership-draw"),
        ({"replace": {"a": "mean"}}, MethodError, "must be membership-draw"),
        ({"replace": "membership-draw:lam2=3"}, ParameterError, "has m2, not lam2"),
        ({"replace": "membership-draw:at_least=2"}, ParameterError, "at_least=2 is below k=3"),
        ({"method": "mdav", "replace": "membership-draw"}, ParameterError, "needs fuzzy clusters"),
        ({"method": "fuzzy:m=0.9"}, ParameterError, "m must be a number, 1 or more"),
        ({"replace": "membership-draw:m2=0.9"}, ParameterError, "m2 must be a number, 1 or more"),
        ({"method": "fuzzy:n_clusters=0"}, ParameterError, "n_clusters must be"),
        ({"method": "fuzzi"}, ParameterError, 'Did you mean "fuzzy"'),
        ({"weights": "d"}, MethodError, "does not support sampling weights"),
        ({"strata": "d"}, TooFewRecordsError, "stratum"),
    ],
)
def test_what_cannot_be_done_is_refused_in_one_line(options, error, message):
    with pytest.raises(error, match=message) as caught:
        shoal.protect(numbers(), 3, **{"method": "fuzzy", **options})
    assert "\n" not in str(caught.value)


def test_gaps_and_text_are_refused():
    frame = numbers()
    frame.loc[3, "a"] = np.nan
    with pytest.raises(MethodError, match="complete records"):
        shoal.protect(frame, 3, method="fuzzy", missing="keep")
    with pytest.raises((ParameterError, DataError), match=r"nominal|serve"):
        shoal.protect(numbers().assign(t=list("ab") * 60), 3, columns=["a", "t"], method="fuzzy")


def test_a_plan_with_a_wrong_pair_is_refused(tmp_path):
    release = shoal.protect(numbers(), 3, method="fuzzy", seed=1)
    text = release.plan.model_dump()
    text["replace"]["a"] = {"name": "mean"}
    with pytest.raises((PlanError, ValueError), match="membership-draw"):
        shoal.Plan(**text)
    release.plan.to_toml(tmp_path / "plan.toml")
    low = (tmp_path / "plan.toml").read_text().replace('at_least = "k"', "at_least = 2")
    (tmp_path / "plan.toml").write_text(low)
    with pytest.raises(PlanError, match="at_least=2 is below k=3"):
        shoal.Plan.from_toml(tmp_path / "plan.toml")


def test_per_variable_keeps_k_in_every_variable_and_warns():
    with pytest.warns(DisclosureWarning, match="not for whole records"):
        release = shoal.protect(numbers(), 4, method="fuzzy", replace="membership-draw:per_variable=true", seed=1)
    for name in release.data:
        assert release.data[name].value_counts().min() >= 4
    assert distinct(release.data).min() < 4


def test_outliers_do_not_draw_everybody_to_them():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"income": np.r_[rng.normal(50_000, 15_000, 997), 1e9, 1.1e9, 1.2e9]})
    for method in ("fuzzy", "entropy"):
        masked = shoal.protect(frame, 3, method=method, seed=0).data
        assert abs(masked["income"].median() - frame["income"].median()) < 20_000


@pytest.mark.parametrize("edits", [["a + b == f", "a >= 0", "b >= 0"], ["a >= 0", "b >= 0", "f >= 0"], ["a == 0"]])
def test_rules_hold_at_a_bound_of_zero(edits):
    frame = pd.DataFrame(np.random.default_rng(0).normal(1000, 800, (400, 3)), columns=["a", "b", "f"])
    masked = shoal.protect(frame, 5, method="fuzzy", edits=edits, seed=0).data
    assert "a == 0" in edits or masked[["a", "b"]].to_numpy().min() >= 0
    assert "a == 0" not in edits or (masked["a"] == 0).all()


@pytest.mark.parametrize("method", ["fuzzy", "entropy"])
def test_where_clusters_start(method):
    released = [
        shoal.protect(numbers(), 3, method=f"{method}:{init}", seed=1)
        for init in ("init=k-means++", "init=farthest", "init=random", "init=random,n_init=4")
    ]
    assert len({one.data.to_numpy().tobytes() for one in released}) == 4
    assert all(distinct(one.data).min() >= 3 for one in released)
    assert released[2].plan.method["init"] == "random"


@pytest.mark.parametrize("method", ["fuzzy:m=1000", "fuzzy:m=100000", "fuzzy:m=1.0001", "entropy:lam=1e-9"])
def test_the_most_and_the_least_fuzzy(method):
    assert distinct(shoal.protect(numbers(), 3, method=method, seed=1).data).min() >= 3


@pytest.mark.parametrize("options", [{}, {"standardize": False}, {"edits": ["a + b == c", "d >= 0.5"]}])
@pytest.mark.parametrize("m", [1, 1.3])
def test_without_fuzziness_everyone_gets_the_nearest_centre(options, m):
    frame = numbers()
    settings = {"method": f"fuzzy:m={m}", "replace": "membership-draw:m2=1", **options}
    masked = shoal.protect(frame, 4, **settings, seed=1).data
    unit = 1 if "standardize" in options else frame.std()
    X, released = (file.div(unit).to_numpy() for file in (frame, masked))
    distances = np.square(X[:, None] - np.unique(released, axis=0)).sum(axis=2)
    assert np.square(X - released).sum(axis=1) == pytest.approx(distances.min(axis=1), rel=1e-6)
    assert distinct(masked).min() >= 4
    assert len(distinct(masked)) > 5


def test_of_a_release_without_fuzziness_an_intruder_knows_the_centre_of_everyone():
    """Also where several are equally near: few different numbers, many of them equal."""
    frame = pd.DataFrame(np.random.default_rng(6).integers(0, 6, size=(200, 2)) / 2, columns=["a", "b"])
    release = shoal.protect(frame, 3, method="fuzzy:m=1", seed=1)
    attack = release.evaluate(measures=["transparency_attack"]).transparency_attack
    assert attack.coverage == 100
    assert attack.candidates < 20


def test_centres_average_k_records_however_early_the_clusters_stop():
    release = shoal.protect(numbers(), 3, method="fuzzy:max_iter=1", seed=1)
    assert release.plan.outcome.smallest_support >= 3


@pytest.mark.parametrize("standardize", [True, False])
def test_the_attack_covers_a_release_variable_by_variable(reference_data, standardize):
    frame = shoal.read_table(reference_data("tarragona.csv"))
    release = shoal.protect(frame, 3, method="fuzzy", blocks=1, seed=1, standardize=standardize)
    assert release.evaluate(measures=["transparency_attack"]).transparency_attack.coverage > 98


def test_figures_do_not_tell_the_seed():
    release = shoal.protect(numbers(), 3, method="fuzzy", seed=2**60 + 7)
    state = str(release.plan.method["random_state"])
    assert int(state) != (2**60 + 7) % 2**32
    assert state not in str(release.evaluate(measures=["transparency_attack"]).to_dict())


def test_large_files_are_clustered_in_parts_and_the_plan_says_so():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(11_000, 2))
    release = shoal.protect(X, 50, method="fuzzy:max_iter=3", seed=1)
    assert release.plan.method["part"] == 5_000
    assert release.partitions[0].k >= 50


def test_compare_takes_fuzzy_methods_too():
    found = shoal.compare(numbers(), 3, ["mdav", "fuzzy:m=1.1", "entropy", "at-least-k"])
    assert {row.method.partition(":")[0] for row in found.rows} == {"mdav", "fuzzy", "entropy", "at-least-k"}
    assert all(row.smallest_group >= 3 for row in found.rows)


def test_records_that_are_all_alike():
    frame = pd.DataFrame({"a": [1.5] * 30 + [2.0] * 3, "b": [1.5] * 30 + [5.0] * 3})
    release = shoal.protect(frame, 3, method="fuzzy", seed=1)
    assert distinct(release.data).min() >= 3


def test_the_attack_on_a_fuzzy_release_takes_every_centre_that_may_have_been_drawn(reference_data):
    frame = shoal.read_table(reference_data("census.csv"))
    fuzzy = shoal.protect(frame, 3, method="fuzzy:m=1.2", replace="membership-draw:m2=1.5", seed=1)
    crisp = shoal.protect(frame, 3)
    attack, on_crisp = (
        release.evaluate(measures=["transparency_attack"]).transparency_attack for release in (fuzzy, crisp)
    )
    assert attack.coverage > 95
    assert attack.candidates > 10 * on_crisp.candidates
    assert attack.expected < on_crisp.expected / 3


DRAWN = {"method": "at-least-k", "replace": "membership-draw"}


@pytest.mark.parametrize("m2", [1, 1.05, 1.2, 2.0])
@pytest.mark.parametrize("k", [2, 5])
def test_groups_of_at_least_k_are_drawn_by_membership(k, m2):
    release = shoal.protect(numbers(), k, method="at-least-k", replace=f"membership-draw:m2={m2}", seed=1)
    assert distinct(release.data).min() >= k
    assert release.plan.outcome.smallest_support >= k
    assert release.evaluate().unchanged.records == 0
    assert release.plan.replace["a"]["m2"] == m2


def test_groups_of_at_least_k_stay_crisp_by_default_and_every_draw_is_another():
    crisp = shoal.protect(numbers(), 3, method="at-least-k", seed=1)
    assert crisp.data.groupby(crisp.partitions[0].labels).nunique().to_numpy().max() == 1
    assert np.allclose(crisp.data.mean(), numbers().mean())
    one, again, other = (shoal.protect(numbers(), 3, **DRAWN, seed=seed).data for seed in (1, 1, 2))
    assert one.equals(again)
    assert not one.equals(other)
    # A drawn centre is the mean of a group.
    means = {tuple(row) for row in crisp.data.round(6).to_numpy()}
    assert {tuple(row) for row in one.round(6).to_numpy()} <= means


@pytest.mark.parametrize("replace", ["mean", "membership-draw", "hybrid:confidential=[a]"])
def test_a_note_says_which_share_of_the_records_was_left_to_the_fallback(replace):
    protect = protect_part if "confidential" in replace else shoal.protect
    release = protect(numbers()[["a", "b", "d"]], 8, method="at-least-k:fill=1", replace=replace, seed=1)
    (note,) = [note for note in release.plan.outcome.notes if "MDAV" in note]
    share = float(note.partition(" ")[0])
    assert note == f"{share:.1f} % of the records were left to MDAV."
    assert share > 10
    default = protect(numbers()[["a", "b", "d"]], 8, method="at-least-k", replace=replace, seed=1)
    assert "0.0 % of the records were left to MDAV." in default.plan.outcome.notes


def expected_records(release):
    (note,) = [note for note in release.plan.outcome.notes if "expected number" in note]
    assert note.startswith("The smallest expected number of records of a centre is ")
    return float(note.removesuffix(".").rpartition(" ")[2])


@pytest.mark.parametrize("method", ["fuzzy", "entropy", "at-least-k"])
def test_a_note_has_the_smallest_expected_number_of_records(method):
    """One note, over all strata and blocks."""
    frame = numbers().assign(s=[0, 1] * 60)
    settings = {"replace": "membership-draw", "blocks": [["a", "b"], ["d", "c"]], "strata": "s"}
    release = shoal.protect(frame, 4, method=method, **settings, seed=1)
    assert 0 < expected_records(release) < 120 / release.plan.outcome.groups[0]
    crisp = shoal.protect(frame, 4, method="mdav", seed=1)
    assert not [note for note in crisp.plan.outcome.notes if "expected" in note]


def test_with_n_over_k_clusters_and_a_large_exponent_k_records_are_expected():
    """Probabilistic k-anonymity: what the paper proves of the algorithm as it has it."""
    with pytest.warns(DisclosureWarning):
        release = shoal.protect(
            numbers(), 4, method="fuzzy:m=1.2", replace=MembershipDraw(m2=1e6, at_least=None), seed=1
        )
    assert 3.8 <= expected_records(release) <= 4  # an outlier that is its own centre draws no other


def test_the_share_of_the_fallback_is_that_of_all_strata_together():
    """In one of two strata all records are alike, and these are a quarter."""
    frame = pd.DataFrame({"a": [5.0] * 10 + list(np.random.default_rng(0).normal(size=30)), "s": [0] * 10 + [1] * 30})
    for replace in ("mean", "membership-draw"):
        release = shoal.protect(frame, 3, method="at-least-k", replace=replace, strata="s", seed=1)
        assert "25.0 % of the records were left to MDAV." in release.plan.outcome.notes


def test_drawn_groups_keep_linear_rules():
    frame = numbers()
    release = shoal.protect(frame, 3, **DRAWN, edits=["a + b == c", "a >= 0"], seed=1)
    assert np.allclose(release.data["a"] + release.data["b"], release.data["c"])
    with pytest.raises(MethodError, match="weights"):
        shoal.protect(frame, 3, **DRAWN, weights="d", seed=1)


def test_drawn_groups_variable_by_variable():
    with pytest.warns(DisclosureWarning, match="k holds for every variable"):
        release = shoal.protect(
            numbers(), 4, method="at-least-k", replace="membership-draw:per_variable=true,m2=1.5", seed=1
        )
    assert all(release.data[name].value_counts().min() >= 4 for name in release.data)
    assert len(distinct(release.data)) > max(release.data.nunique())


def test_more_than_k_can_be_asked_for_and_less_warns():
    release = shoal.protect(numbers(), 3, method="at-least-k", replace="membership-draw:at_least=8", seed=1)
    assert distinct(release.data).min() >= 8
    assert release.plan.outcome.smallest_support >= 8
    with pytest.warns(DisclosureWarning, match="fewer than k=3"):
        shoal.protect(numbers(), 3, method="at-least-k", replace="membership-draw:at_least=None,m2=1.5", seed=1)


def test_parameters_of_groups_of_at_least_k_are_in_the_plan(tmp_path):
    given = "at-least-k:m=1.3,m_least=0.2,m_step=1.1,m_max=2,cluster_size=2,c_step=0.7,dissolve=0.5,fill=0.3"
    release = shoal.protect(numbers(), 3, method=given, seed=1)
    expected = {"m": 1.3, "m_least": 0.2, "m_step": 1.1, "m_max": 2, "cluster_size": 2, "c_step": 0.7}
    assert release.plan.method.items() >= (expected | {"dissolve": 0.5, "fill": 0.3}).items()
    release.plan.to_toml(tmp_path / "plan.toml")
    assert shoal.Plan.from_toml(tmp_path / "plan.toml").method == release.plan.method
    with pytest.raises(ParameterError, match="dissolve must be"):
        shoal.protect(numbers(), 3, method="at-least-k:dissolve=2")


def test_the_attack_knows_whether_groups_of_at_least_k_were_drawn(reference_data):
    frame = shoal.read_table(reference_data("tarragona.csv"))
    crisp = shoal.protect(frame, 5, method="at-least-k", seed=1)
    drawn = shoal.protect(frame, 5, **DRAWN, seed=1)
    by_plan = [one.evaluate(measures=["transparency_attack"]).transparency_attack for one in (crisp, drawn)]
    as_mdav = shoal.measure.transparency_attack(frame, crisp.data, method="mdav", k=5)
    as_fuzzy = shoal.measure.transparency_attack(frame, drawn.data, method="fuzzy:m=1.2", k=5)
    assert by_plan[0].expected == as_mdav.expected  # the nearest groups
    assert by_plan[1].expected == as_fuzzy.expected  # every centre that may have been drawn
    assert by_plan[1].coverage > 95
    # Each as likely as its membership: the draw hides little from who takes the most likely one.
    assert by_plan[0] > by_plan[1] == by_plan[1].best_guess > by_plan[1].expected > by_plan[0].expected / 2
    again = {"method": "at-least-k", "k": 5, "level": 2}
    assert shoal.measure.transparency_attack(frame, crisp.data, **again).coverage == 100
    with pytest.raises(ParameterError, match="draws every record at random"):
        shoal.measure.transparency_attack(frame, drawn.data, **again, replace="membership-draw")


@pytest.mark.slow
@pytest.mark.parametrize("method", ["fuzzy", "entropy"])
def test_the_number_of_threads_of_matrix_products_changes_nothing(method):
    """2,000 records in 200 clusters: products of that size are shared among threads where they may be."""
    code = (
        "import hashlib, sys, pandas as pd, shoal\n"
        "table = shoal.datasets.households(2000, seed=1).iloc[:, -11:-1]\n"
        "table = table.loc[:, table.nunique() > 12]\n"
        f"data = shoal.protect(table, 10, method='{method}', seed=3).data\n"
        "print(hashlib.sha256(pd.util.hash_pandas_object(data).to_numpy().tobytes()).hexdigest())"
    )
    found = [
        subprocess.run(
            [sys.executable, "-c", code],
            env=os.environ | {"OPENBLAS_NUM_THREADS": threads, "OMP_NUM_THREADS": threads},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for threads in ("1", "2")
    ]
    assert found[0] == found[1] != ""
