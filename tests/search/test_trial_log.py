"""The file of trials: whole or refused, with the line that is not."""

from __future__ import annotations

import json

import pytest

import shoal
from shoal.errors import PlanError, WriteError
from shoal.search.trial_log import TrialLog

OPTIONS = {"methods": ["mdav", "fuzzy", "hybrid"], "k": (3, 5)}


@pytest.fixture
def frame():
    return shoal.datasets.households(60, seed=4)[["age", "wage_income", "tax", "net_income"]]


@pytest.fixture
def log(frame, tmp_path):
    place = tmp_path / "trials.jsonl"
    shoal.tune(frame, log=place, trials=6, **OPTIONS)
    return place


@pytest.mark.parametrize(
    "change",
    [
        lambda line: line["measures"].update(score="low"),
        lambda line: line["measures"].update(score=-1e9),
        lambda line: line["measures"].update(score=line["measures"]["score"] / 2),
        lambda line: line.update(k=1000),
        lambda line: line["measures"].update(risk=None),
        lambda line: line.update(measures=None),
        lambda line: line.update(settings={}),
        lambda line: line.update(method="mdav"),
        lambda line: line.update(method={"name": "mdva"}),
        lambda line: line.update(k="three"),
        lambda line: line.update(trial=7),
        lambda line: line.pop("seconds"),
        lambda line: line.update(more=1),
        lambda line: line["settings"].update(clusters=1.0),
    ],
)
def test_a_damaged_line_is_named_and_nothing_is_lost(frame, log, change):
    lines = log.read_text().splitlines()
    line = json.loads(lines[3])
    change(line)
    log.write_text("\n".join([*lines[:3], json.dumps(line), *lines[4:]]) + "\n")
    before = log.read_bytes()
    with pytest.raises(PlanError, match=r'Line 4 of ".*" is damaged'):
        shoal.tune(frame, resume=log, trials=8, **OPTIONS)
    assert log.read_bytes() == before
    log.write_text("\n".join(lines[:3]) + "\n")  # as the message says
    assert len(shoal.tune(frame, resume=log, trials=8, **OPTIONS).trials) == 8


@pytest.mark.parametrize("first", ["[]", "3", "{}", "", '{"format": "shoal.trials/4"}', "my notes", "[" * 99_999])
def test_what_is_no_file_of_trials_is_refused(frame, log, first):
    log.write_text("\n".join([first, *log.read_text().splitlines()[1:]]) + "\n")
    log.chmod(0o640)
    before = log.read_bytes()
    with pytest.raises(PlanError, match="is not a file of trials"):
        shoal.tune(frame, resume=log, trials=8, **OPTIONS)
    assert (log.read_bytes(), log.stat().st_mode & 0o777) == (before, 0o640)


def test_the_name_of_a_file_of_trials_says_what_it_is(frame, log):
    other = log.rename(log.with_name("notes.txt"))
    for asked in ({"resume": other}, {"log": other.with_name(".profile")}):
        with pytest.raises(WriteError, match=r"its name has to end in \.jsonl"):
            shoal.tune(frame, trials=8, **asked, **OPTIONS)


def test_two_searches_do_not_write_to_one_file(log):
    head = json.loads(log.read_text().splitlines()[0])
    first = TrialLog(log, head, resume=True)
    with pytest.raises(WriteError, match="Another search is writing"):
        TrialLog(log, head, resume=True)
    with pytest.raises(WriteError, match="Another search is writing"):
        TrialLog(log, head, resume=False)
    first.close()
    TrialLog(log, head, resume=True).close()


def test_a_file_is_made_with_the_first_trial_and_another_is_moved_aside(log, tmp_path):
    head = json.loads(log.read_text().splitlines()[0])
    before = log.read_bytes()
    new = TrialLog(log, head, resume=False)
    assert new.trials == [] and log.read_bytes() == before
    old = TrialLog(log, head, resume=True)
    trials = old.trials
    old.close()
    new.append(trials[0])
    new.close()
    assert new.moved_to == tmp_path / "trials.1.jsonl"
    assert new.moved_to.read_bytes() == before
    again = TrialLog(log, head, resume=False)
    again.append(trials[0])
    again.close()
    assert again.moved_to == tmp_path / "trials.2.jsonl"
    assert new.moved_to.read_bytes() == before
    assert TrialLog(log, head, resume=True).trials == trials[:1]
    (tmp_path / "notes.jsonl").write_text("my notes")
    with pytest.raises(WriteError, match="holds no trials"):
        TrialLog(tmp_path / "notes.jsonl", head, resume=False)


def test_trials_come_back_as_they_were(frame, log):
    made = shoal.tune(frame, trials=6, **OPTIONS)
    assert shoal.tune(frame, resume=log, trials=6, **OPTIONS).trials == made.trials
