"""A second release of the same file is warned of where the plan of the first lies beside it."""

from __future__ import annotations

import warnings

import pytest

import shoal
from shoal.errors import DisclosureWarning


@pytest.fixture
def survey():
    return shoal.datasets.households(60, seed=1)[["age", "wage_income", "tax"]]


def released_to(folder, data, k, name):
    shoal.protect(data, k).write(folder / name)


def test_a_second_release_of_the_same_file_is_warned_of_by_name(survey, tmp_path):
    released_to(tmp_path, survey, 3, "first.csv")
    with pytest.warns(DisclosureWarning, match='released before: "first.csv"'):
        released_to(tmp_path, survey, 5, "second.csv")


def test_the_same_plan_again_and_a_release_in_its_place_give_nothing_more_away(survey, tmp_path):
    release = shoal.protect(survey, 3)
    release.write(tmp_path / "first.csv")
    with warnings.catch_warnings():
        warnings.simplefilter("error", DisclosureWarning)
        release.plan.run(survey).write(tmp_path / "again.csv")
        (tmp_path / "again.csv.plan.toml").unlink()
        released_to(tmp_path, survey, 5, "first.csv")


def test_plans_of_other_files_and_files_that_are_no_plans_are_passed_over(survey, tmp_path):
    released_to(tmp_path, survey.head(50), 3, "others.csv")
    (tmp_path / "none.plan.toml").write_text("not = [toml")
    (tmp_path / "odd.plan.toml").write_text("input = 3\noutput = 4")
    with warnings.catch_warnings():
        warnings.simplefilter("error", DisclosureWarning)
        released_to(tmp_path, survey, 3, "own.csv")
