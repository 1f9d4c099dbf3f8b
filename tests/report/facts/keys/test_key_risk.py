"""Risk over keys in a report: the numbers of the measures, the release alone in public, and nothing that takes long."""

from __future__ import annotations

import json
import warnings

import jsonschema
import numpy as np
import pandas as pd
import pytest

import shoal
from oracles.slow_key_risk import frequencies
from shoal.errors import DisclosureWarning
from shoal.report.facts.collect import summarize, summarize_files, summary_schema
from shoal.report.facts.keys import key_risk as counting
from shoal.report.facts.keys.key_risk import key_risk_facts

KEYS = ["region", "sex", "education"]


def people(records: int = 400, missing: float = 0.0) -> pd.DataFrame:
    rng = np.random.default_rng(4)
    frame = pd.DataFrame(
        {
            "region": rng.choice(["n", "s", "e", "w"], records, p=[0.6, 0.3, 0.08, 0.02]),
            "sex": rng.choice(["f", "m"], records),
            "education": rng.choice(["low", "middle", "high", "other"], records, p=[0.5, 0.3, 0.18, 0.02]),
            "income": np.round(rng.lognormal(8, 1, records)),
            "civil": rng.choice(["single", "married"], records),
            "home": np.arange(records) // 3,
            "weight": rng.integers(20, 200, records).astype(float),
        }
    )
    frame.loc[rng.random(records) < missing, "education"] = None
    return frame


@pytest.fixture(scope="module")
def protected() -> shoal.Release:
    roles = {**dict.fromkeys(KEYS, "key"), "civil": "confidential"}
    options = {"unit": "home", "weights": "weight", "missing": "keep", "categories": "suppress", "seed": 1}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DisclosureWarning)
        return shoal.protect(people(missing=0.05), 3, columns=[*KEYS, "income"], roles=roles, **options)


def test_the_numbers_are_those_of_the_measures(protected):
    facts = key_risk_facts(protected.plan, protected.recoded, protected.masked, internal=True)
    assert (facts.keys, facts.are_named, facts.weights, facts.unit) == (KEYS, True, "weight", "home")
    for own, data in ((facts.before, protected.original), (facts.after, protected.data)):
        assert [one.missing for one in own] == ["category", "wildcard"]
        whole = shoal.measure.key_risk(data, KEYS, unit="home", ks=(2, 3, 5), weights="weight")
        for one, reading in zip(own, (whole, whole.as_wildcards), strict=True):
            assert (one.missing, one.k, one.combinations) == (reading.missing, reading.k, whole.combinations)
            assert one.below == {str(k): count for k, count in reading.violators.items()}
            assert (one.expected, one.with_units) == (reading.expected, reading.household_expected)
        special = shoal.measure.suda(data, KEYS)
        assert (own[0].suda_records, own[0].suda_largest) == (special.records, special.scores.max())
        (told,) = own[0].confidential
        diversity = shoal.measure.l_diversity(data, KEYS, "civil")
        assert (told.column, told.values, told.alike) == ("civil", diversity, diversity.violators(2))
        assert told.distance == shoal.measure.t_closeness(data, KEYS, "civil")
    assert facts.before[0].below["2"] > 0 == facts.after[0].below["3"]


def test_the_counts_are_those_of_records_one_by_one(protected):
    facts = key_risk_facts(protected.plan, protected.recoded, protected.masked, internal=True)
    for own, table in ((facts.before, protected.recoded), (facts.after, protected.masked)):
        rows = [tuple(row) for row in zip(*(table.cells(name).tolist() for name in KEYS), strict=True)]
        for one in own:
            sample, _ = frequencies(rows, [1.0] * len(rows), one.missing)
            assert {k: sum(count < int(k) for count in sample) for k in one.below} == one.below


def test_the_riskiest_are_records_of_the_original_and_show_no_value(protected):
    facts = key_risk_facts(protected.plan, protected.recoded, protected.masked, internal=True)
    known = {"unit": "home", "weights": "weight"}
    riskiest = shoal.measure.riskiest(protected.original, KEYS, missing="category", **known)
    assert [(one.record, one.risk, one.suda) for one in facts.riskiest] == [
        (one.record, one.risk, one.suda) for one in riskiest
    ]
    assert len(facts.riskiest) == 20
    assert {"record", "sample", "population", "risk", "with_unit", "suda"} == set(facts.riskiest[0].model_dump())


def test_in_public_there_is_the_release_alone_and_nothing_below_k(protected):
    summary = summarize(protected, "public", protected.evaluate(quick=True))
    facts = summary.key_risk
    assert (facts.before, facts.riskiest, facts.unit, facts.suda_size) == ([], [], None, None)
    assert (summary.recode_effects, summary.transitions) == ([], [])
    (after,) = facts.after
    assert (after.with_units, after.suda_records, after.suda_largest, after.confidential) == (None, None, None, [])
    numbers = [after.k, after.expected, after.combinations, *after.below.values()]
    assert all(number is None or number == 0 or number >= 3 for number in numbers)
    text = json.dumps(summary.to_dict())
    jsonschema.Draft202012Validator(summary_schema()).validate(json.loads(text))


def test_uniques_of_a_release_that_promises_no_k_are_not_published_where_they_are_few():
    frame = people()[[*KEYS]]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DisclosureWarning)
        release = shoal.protect(frame, 20, replace="pram", seed=2)
    internal, public = (
        key_risk_facts(release.plan, release.recoded, release.masked, internal=inside) for inside in (True, False)
    )
    assert 0 < internal.after[0].below["2"] < 20
    assert public.after[0].below["2"] is None and public.after[0].k is None


def test_protected_categories_and_strata_are_keys_where_none_is_named():
    release = shoal.protect(people()[["region", "sex", "income"]], 3, strata="sex", seed=1)
    facts = key_risk_facts(release.plan, release.recoded, release.masked, internal=True)
    assert (facts.keys, facts.are_named) == (["region", "sex"], False)
    assert [len(own) for own in (facts.before, facts.after)] == [1, 1]  # nothing is missing


def test_there_is_nothing_to_say_without_keys_or_a_plan(census):
    release = census.release
    assert key_risk_facts(release.plan, release.recoded, release.masked, internal=True) is None
    assert key_risk_facts(None, release.recoded, release.masked, internal=True) is None
    assert census.summary("internal").key_risk is None


def test_what_takes_long_is_left_out_and_said(protected, monkeypatch):
    monkeypatch.setattr(counting, "_MOST_ROWS_OF_SETS", 10)
    monkeypatch.setattr(counting, "_MOST_AGREEMENT", 10)
    facts = key_risk_facts(protected.plan, protected.recoded, protected.masked, internal=True)
    assert [one.missing for one in (*facts.before, *facts.after)] == ["category", "category"]
    assert facts.suda_size is None and facts.before[0].suda_records is None
    assert "wildcards" in facts.left_out and "SUDA" in facts.left_out


def test_two_files_with_a_plan_say_the_same(protected):
    evaluation = protected.evaluate(quick=True)
    of_files = summarize_files(protected.recoded, protected.masked, evaluation, protected.plan)
    assert of_files.key_risk == summarize(protected, "internal", evaluation).key_risk
    without = summarize_files(protected.recoded, protected.masked, evaluation)
    assert (without.key_risk, without.recode_effects) == (None, [])


def test_a_file_without_distributions_is_not_looked_through(protected):
    assert summarize(protected, "internal", protected.evaluate(quick=True), distributions=False).key_risk is None


def test_a_key_that_is_a_stratum_of_a_later_step_is_a_key_still(keyed):
    facts = keyed.summary("internal").key_risk
    assert (facts.keys, facts.are_named) == (["region", "education", "age"], True)
    assert [one.column for one in facts.before[0].confidential] == ["tenure"]
    effects = keyed.summary("internal").recode_effects
    assert [one.column for one in effects] == ["education", "age", ""]
    assert facts.before[0].below["5"] == effects[-1].below_k[1]
