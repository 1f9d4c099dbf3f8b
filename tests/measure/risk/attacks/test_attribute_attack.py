"""The attribute attack: what a release adds to guesses, against a slow version, and the same for every method."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from oracles.slow_guesses import slow_attack
from shoal.errors import ColumnError, NotApplicableError, ParameterError
from shoal.measure import attribute_attack, evaluate
from unchanged_columns import protect_part


def survey(n=150, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 3)) @ rng.normal(size=(3, 3)) + rng.normal(size=(n, 3))
    frame = pd.DataFrame(np.exp(x / 2)).set_axis(["a", "b", "c"], axis=1)
    return frame.assign(g=np.where(x[:, 0] + rng.normal(size=n) > 0, "high", "low"), h=rng.choice(list("xyz"), n))


@st.composite
def two_files(draw):
    """Small whole numbers and letters, with ties and duplicates."""
    n, p = draw(st.integers(4, 14)), draw(st.integers(1, 3))
    files = []
    for _ in range(2):
        cells = st.lists(st.lists(st.integers(0, 3), min_size=p, max_size=p), min_size=n, max_size=n)
        letters = draw(st.lists(st.sampled_from("ab"), min_size=n, max_size=n))
        frame = pd.DataFrame(np.array(draw(cells), dtype=float)).add_prefix("x")
        files.append(frame.assign(c=letters))
    return files


@settings(max_examples=25)
@given(files=two_files(), neighbours=st.integers(1, 3), tolerance=st.sampled_from([0.0, 10.0, 40.0]))
def test_a_slow_version_guesses_as_often(files, neighbours, tolerance):
    """Where records are equally near, any of them may be taken: the slow version gives the least and the most."""
    try:
        value = attribute_attack(*files, neighbours=neighbours, tolerance=tolerance)
    except NotApplicableError:
        return
    for name, (success, baseline) in slow_attack(*files, list(value.by_variable), neighbours, tolerance).items():
        found = value.by_variable[name]
        assert success[0] - 1e-9 <= found["success"] <= success[1] + 1e-9
        assert baseline[0] - 1e-9 <= found["baseline"] <= baseline[1] + 1e-9


def test_the_original_itself_gives_everything_away():
    frame = survey()
    value = attribute_attack(frame, frame)
    assert value.success == 100
    assert value == pytest.approx(100 - value.baseline) and value > 30


def test_a_file_that_has_nothing_to_do_with_the_records_helps_no_one():
    value = attribute_attack(survey(400), survey(400, seed=1))
    assert value.gain < 3 and value < 3


def test_every_record_is_a_target_and_a_missing_value_is_not_guessed():
    """Of 200 records 20 have a value of c: however well it is guessed, that is a tenth of the file."""
    frame = survey(200)
    frame.loc[20:, "c"], frame.loc[::3, "g"] = np.nan, None
    found = attribute_attack(frame, frame)
    assert found.records == 200
    assert found.by_variable["c"]["success"] == 10 and found.by_variable["c"]["baseline"] < 10
    assert found.by_variable["g"]["success"] == pytest.approx(100 * frame["g"].notna().mean())
    assert found.by_variable["a"]["success"] == 100


def test_of_the_nearest_records_the_first_with_a_value_is_taken():
    """The nearest record has no value of b, the next two have."""
    original = pd.DataFrame({"a": [0.0, 10, 20, 30, 40, 50], "b": [1.0, 2, 3, 4, 5, 6]})
    masked = pd.DataFrame({"a": [0.0, 1, 2, 30, 40, 50], "b": [np.nan, 1, 1, 4, 5, 6]})
    found = attribute_attack(original, masked, known=["a"], neighbours=3, tolerance=0)
    # 0, 10 and 20 are nearest to 0, 1 and 2, so that 10 and 20 are guessed as 1; the others as they are.
    assert found.by_variable["b"]["success"] == pytest.approx(100 * 4 / 6)
    assert found.by_variable["b"]["by"] == "nearest"


def test_what_follows_from_other_records_is_no_gain():
    """A total is known from its parts, with and without the release."""
    frame = survey()[["a", "b"]].assign(total=lambda one: one["a"] + one["b"])
    released = shoal.protect(frame, 10, seed=1).data
    found = attribute_attack(frame, released).by_variable["total"]
    assert found["success"] == found["baseline"] == 100 and found["by"] == "regression"


def test_a_file_masked_less_gives_more_away():
    frame = survey(300)[["a", "b", "c"]]
    gains = [attribute_attack(frame, shoal.protect(frame, k, seed=1).data).gain for k in (2, 5, 50)]
    assert gains[0] > gains[1] > gains[2]


@pytest.mark.parametrize(
    "masking",
    [
        {"method": "mdav"},
        {"method": "fuzzy:n_clusters=10"},
        {"replace": "ipso", "confidential": ["a", "b"]},
        {"replace": "hybrid:small_groups=merge", "confidential": ["a", "b"]},
        {"replace": "muralidhar-sarathy", "confidential": ["a", "b"]},
        {"replace": "fuzzy-regression:n_clusters=2", "confidential": ["a", "b"]},
        {"replace": "ipso", "method": "one-group", "confidential": ["a", "b"]},
    ],
    ids=str,
)
def test_every_method_has_an_answer(masking):
    protect = protect_part if "confidential" in masking else shoal.protect
    release = protect(survey()[["a", "b", "c"]], 5, seed=1, **masking)
    found = release.evaluate(measures=["attribute_attack"])
    value = found.attribute_attack
    assert 0 <= value <= 100 and value.known == 2
    assert set(value.by_variable) == {"a", "b", "c"}
    if "confidential" in masking:
        alone = found.risk_protected["attribute_attack"]
        assert 0 <= alone <= 100 and alone.known == 2 and set(alone.by_variable) == {"a", "b"}
        assert alone.by_variable == {name: value.by_variable[name] for name in alone.by_variable}


def test_the_intruder_knows_what_stays_too():
    """The released others are known too, but for the weight; the risk of everything guesses them as well."""
    frame = survey().assign(w=np.linspace(1, 2, 150))
    masked = frame.assign(a=frame["a"].sample(frac=1, random_state=1).to_numpy())
    assert attribute_attack(frame, masked, columns=["a"]).known == 5
    found = evaluate(frame, masked, ["a"], weights="w", measures=["attribute_attack"], aligned=True)
    assert found.attribute_attack.known == 4 and set(found.attribute_attack.by_variable) == set("abcgh")
    alone = found.risk_protected["attribute_attack"]
    assert alone.known == 4 and list(alone.by_variable) == ["a"]


def test_what_is_known_can_be_named():
    frame = survey()
    value = attribute_attack(frame, frame, known=["g", "h"])
    assert value.known == 2 and list(value.by_variable) == ["a", "b", "c"]
    with pytest.raises(ColumnError, match=r'known names "gg", which is not in both files\. Did you mean "g"'):
        attribute_attack(frame, frame, known="gg")
    with pytest.raises(ParameterError):
        attribute_attack(frame, frame, tolerance=101)


def test_a_variable_alone_cannot_be_guessed_from_others():
    one = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0]})
    with pytest.raises(NotApplicableError, match="needs a variable that varies to guess, and another that is known"):
        attribute_attack(one, one)


def test_large_files_are_sampled():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(20_500, 2))).add_prefix("x")
    value = attribute_attack(frame, frame, sample=100)
    assert value.sampled == 100 and value.standard_error > 0
    assert value.success == 100
