"""Plans: the same plan, the same bytes."""

from __future__ import annotations

import tomllib

import numpy as np
import pandas as pd
import pytest
import tomli_w

import shoal
from shoal.errors import DisclosureWarning, ParameterError, PlanError, WriteError
from shoal.read import as_table
from unchanged_columns import protect_part, run_part


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "survey.csv"
    shoal.write_table(households(seed=5), path)
    return path


def households(seed):
    names = ["household_id", "age", "tax", "tenure", "area", "survey_weight"]
    return shoal.datasets.households(120, seed=seed)[names]


@pytest.fixture
def release(file):
    return protect_part(
        file,
        4,
        as_is="area",
        roles={"household_id": "identifier"},
        weights="survey_weight",
        replace={"age": shoal.replace.OrderStatistic(q=0.25)},
        method="mdav:variant=two-k",
    )


def test_a_plan_survives_the_trip_through_toml(release, tmp_path):
    release.plan.to_toml(tmp_path / "plan.toml")
    assert shoal.Plan.from_toml(tmp_path / "plan.toml") == release.plan


def test_a_plan_repeats_the_release_byte_for_byte(release, tmp_path):
    release.write(tmp_path / "one.csv", plan=tmp_path / "plan.toml")
    run_part(shoal.Plan.from_toml(tmp_path / "plan.toml")).write(tmp_path / "two.csv")
    assert (tmp_path / "one.csv").read_bytes() == (tmp_path / "two.csv").read_bytes()


def test_a_plan_records_input_seed_versions_and_what_became_of_types(release, file):
    plan = release.plan
    assert plan.input.path == str(file)
    assert len(plan.input.sha256) == 64
    assert plan.input.records == 120
    assert plan.seed >= 0
    assert {"shoal", "python", "numpy", "numba"} <= set(plan.versions)
    assert plan.outcome.became_float == ["tax"]


def test_files_are_named_relative_to_the_plan(release, tmp_path):
    (tmp_path / "plans").mkdir()
    release.write(tmp_path / "out.csv", plan=tmp_path / "plans" / "p.toml")
    content = tomllib.loads((tmp_path / "plans" / "p.toml").read_text())
    assert content["input"]["path"] == "../survey.csv"
    assert content["output"]["path"] == "../out.csv"
    assert str(tmp_path) not in (tmp_path / "plans" / "p.toml").read_text()


def test_a_changed_input_is_refused_unless_it_is_named(release, file, tmp_path):
    release.plan.to_toml(tmp_path / "plan.toml")
    plan = shoal.Plan.from_toml(tmp_path / "plan.toml")
    shoal.write_table(households(seed=6), tmp_path / "new.csv")
    (tmp_path / "new.csv").replace(file)
    with pytest.raises(PlanError, match="has changed since the plan was made"):
        plan.run()
    again = run_part(plan, file)
    assert again.plan.input.sha256 != plan.input.sha256
    assert again.plan.seed == plan.seed


def test_a_plan_of_a_table_in_memory_needs_a_table():
    frame = pd.DataFrame({"a": np.arange(9.0)})
    release = shoal.protect(frame, 3)
    with pytest.raises(PlanError, match="table in memory"):
        release.plan.run()
    pd.testing.assert_frame_equal(release.plan.run(frame).data, release.data)


def test_a_frame_that_was_read_and_changed_does_not_pass_for_its_file(file):
    frame = shoal.read_table(file)
    frame["age"] = frame["age"] + 1
    assert shoal.protect(frame[["age", "tax"]], 3).plan.input.path is None


def test_how_a_file_was_read_is_part_of_the_plan(tmp_path):
    path = tmp_path / "eu.csv"
    path.write_text("a;b\n" + "".join(f"{i},5;x{i % 3}\n" for i in range(9)), encoding="utf-16")
    release = shoal.protect(as_table(path, encoding="utf-16"), 3)
    assert release.plan.input.reading.encoding == "utf-16"
    pd.testing.assert_frame_equal(release.plan.run().data, release.data)


def test_a_plan_on_a_file_without_its_columns(release, tmp_path):
    frame = pd.DataFrame({"age": np.arange(9.0)})
    with pytest.raises(shoal.errors.ColumnError, match="no column"):
        release.plan.run(frame)


def test_a_column_that_the_plan_does_not_know_is_never_released(release, file, tmp_path):
    frame = shoal.read_table(file)
    other = frame.assign(ssn=[f"S{number:06d}" for number in range(len(frame))], income=np.arange(len(frame)))
    with pytest.raises(PlanError, match=r'2 columns that the plan does not know: "ssn", "income".*identifier'):
        release.plan.run(other)
    path = tmp_path / "plan.toml"
    release.plan.to_toml(path)
    path.write_text(path.read_text().replace("[roles]\n", '[roles]\nssn = "identifier"\nincome = "other"\n'))
    with pytest.warns(DisclosureWarning, match="NOT PROTECTED .2.: area, income"):
        again = shoal.Plan.from_toml(path).run(other)
    assert "ssn" not in again.data
    assert again.data["income"].tolist() == list(range(len(frame)))


def test_a_plan_that_was_never_carried_out_refuses_columns_that_have_to_be_decided():
    plan = shoal.Plan(k=3, blocks=[["x"]], kinds={"x": "continuous"}, method="mdav", replace={"x": "mean"}, seed=1)
    frame = pd.DataFrame({"x": np.arange(30.0), "ssn": [f"S{number:06d}" for number in range(30)]})
    with pytest.raises(shoal.errors.DataError, match=r'"ssn" .texts nearly all different'):
        plan.run(frame)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("k = 4", "k = 1", "k must be a whole number, 2 or more"),
        ("k = 4", "k = 4.5", "k must be a whole number"),
        ("k = 4", 'k = 4\ncolour = "red"', 'no key "colour"'),
        ("k = 4", 'k = 4\nmising = "keep"', 'no key "mising".*mean "missing"'),
        ("k = 4", "k = ", "not TOML"),
        ("k = 4\n", "", 'key "k" is missing'),
        ('name = "mdav"', 'name = "mdva"', 'no method "mdva".*mean "mdav"'),
        ('variant = "two-k"', "gamma = 0.2", 'no parameter "gamma"'),
        ('variant = "two-k"', 'variant = "x"', "variant must be one of"),
        ("q = 0.25", "q = 2", "q must be a number from 0 to 1"),
        ("[input]", '[input.reading]\ncolour = "red"\n\n[input]', "colour"),
        ("k = 4", "k = " + "[" * 5000, "nested too deeply|not TOML"),
        ('age = "continuous"', 'age = "nominal"', '"order-statistic" does not serve "age", which is nominal'),
        ('age = "continuous"', "", 'column "age" must be in blocks, kinds and replace'),
        ('household_id = "identifier"', 'household_id = "id"', "roles.household_id"),
    ],
)
def test_a_wrong_plan_is_refused_with_the_place(release, tmp_path, old, new, message):
    path = tmp_path / "plan.toml"
    release.plan.to_toml(path)
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(PlanError, match=message) as raised:
        shoal.Plan.from_toml(path)
    assert "\n" not in str(raised.value)


def test_a_plan_that_is_not_there(tmp_path):
    with pytest.raises(PlanError, match="cannot be read"):
        shoal.Plan.from_toml(tmp_path / "none.toml")


def test_neither_release_nor_plan_overwrites_the_input(release, file, tmp_path):
    before = file.read_bytes()
    (tmp_path / "link.csv").symlink_to(file)
    for path in (file, tmp_path / "link.csv"):
        with pytest.raises(WriteError, match="never overwrites its input"):
            release.write(path)
        with pytest.raises(WriteError, match="never overwrites its input"):
            release.write(tmp_path / "out.csv", plan=path)
    assert file.read_bytes() == before
    assert not (tmp_path / "out.csv").exists()


def test_a_file_has_the_records_in_random_order_unless_it_is_to_keep_theirs(release, tmp_path):
    with pytest.warns(DisclosureWarning, match="in the order of the input"):
        release.write(tmp_path / "plain.csv", keep_order=True)
    release.write(tmp_path / "shuffled.csv")
    plain, shuffled = (tmp_path / name for name in ("plain.csv", "shuffled.csv"))
    assert plain.read_text() != shuffled.read_text()
    assert sorted(plain.read_text().splitlines()[1:]) == sorted(shuffled.read_text().splitlines()[1:])


def test_roles_written_into_a_plan_count(release, file, tmp_path):
    path = tmp_path / "plan.toml"
    release.plan.to_toml(path)
    path.write_text(path.read_text().replace("[roles]\n", '[roles]\narea = "stratum"\n'))
    again = shoal.Plan.from_toml(path).run()
    areas = shoal.read_table(file)["area"]
    assert (areas.groupby(again.partitions[0].labels).nunique() == 1).all()
    assert release.plan.weights == again.plan.weights == "survey_weight"


def test_a_search_by_the_clock_is_repeated_by_its_steps(tmp_path):
    names = ["age", "tax", "wage_income", "area"]
    shoal.write_table(shoal.datasets.households(150, seed=9)[names], tmp_path / "in.csv")
    release = shoal.protect(
        tmp_path / "in.csv",
        3,
        strata="area",
        blocks=2,
        method=shoal.partition.Refine(3, start=shoal.partition.VMDAV(3, gamma=0.5), seconds=0.1),
    )
    assert release.plan.method["start"] == "vmdav:k=3,gamma=0.5"
    assert len(release.plan.steps) == 2  # blocks
    assert all(len(steps) == 2 for steps in release.plan.steps)  # areas
    release.plan.to_toml(tmp_path / "plan.toml")
    again = shoal.Plan.from_toml(tmp_path / "plan.toml").run()
    pd.testing.assert_frame_equal(again.data, release.data)
    assert again.plan == release.plan
    other = shoal.datasets.households(150, seed=10)[names]
    other["area"] = ["a", "b", "c"] * 50
    with pytest.raises(PlanError, match="steps are for other blocks or strata"):
        release.plan.run(other)


@pytest.mark.parametrize(
    ("steps", "message"),
    [
        ([[5, 5], [5, 5], [5, 5]], "steps are for other blocks or strata"),  # a block too many
        ([[5, 5, 5], [5, 5]], "steps are for other blocks or strata"),  # a stratum too many
        ([[5, 5]], "steps are for other blocks or strata"),
        ([[5, 5], [5, -5]], "steps.1.1: "),
    ],
)
def test_steps_that_do_not_fit_are_refused(tmp_path, steps, message):
    shoal.write_table(shoal.datasets.households(60, seed=9)[["age", "tax", "area"]], tmp_path / "in.csv")
    release = shoal.protect(tmp_path / "in.csv", 3, strata="area", blocks=1, method="refine:steps=5")
    assert release.plan.steps == [[5, 5], [5, 5]]
    release.plan.to_toml(tmp_path / "plan.toml")
    content = tomllib.loads((tmp_path / "plan.toml").read_text())
    (tmp_path / "plan.toml").write_text(tomli_w.dumps(content | {"steps": steps}))
    with pytest.raises(PlanError, match=message) as raised:
        shoal.Plan.from_toml(tmp_path / "plan.toml").run()
    assert "\n" not in str(raised.value)


def test_a_start_given_as_labels_is_kept_in_the_plan(tmp_path):
    frame = shoal.datasets.households(30, seed=9)[["age", "tax"]]
    start = list(shoal.partition.MDAV(3).fit(frame).labels_)
    release = shoal.protect(frame, 3, method=shoal.partition.Refine(3, start, steps=5))
    release.plan.to_toml(tmp_path / "plan.toml")
    pd.testing.assert_frame_equal(shoal.Plan.from_toml(tmp_path / "plan.toml").run(frame).data, release.data)


def test_a_method_within_a_method_is_written_so_that_it_can_be_read(tmp_path):
    from shoal.parameters.choices import as_text, written_form
    from shoal.partition import HAC, METHODS, Refine

    method = Refine(3, start=HAC(3, linkage="single", priority=1.0), steps=4)
    spelled = written_form(method, METHODS, "method")
    assert written_form(as_text(spelled), METHODS, "method") == spelled
    frame = shoal.datasets.households(60, seed=1)[["age", "tax"]]
    for start in (method.start, np.arange(60) % 20):
        release = shoal.protect(frame, 3, method=Refine(3, start=start, steps=4), seed=1)
        release.plan.to_toml(tmp_path / "plan.toml")
        again = shoal.Plan.from_toml(tmp_path / "plan.toml").run(frame)
        assert again.data.equals(release.data)


def test_a_copy_with_other_parts_is_checked_like_a_new_plan():
    survey = shoal.datasets.households(60, seed=1)[["age", "tax"]]
    plan = shoal.protect(survey, 4, edits=["age >= 0"], seed=1).plan
    other = plan.model_copy(update={"edits": ["age >= 1"], "k": 6})
    assert other.masking.method.k == 6 and other.run(survey).plan.outcome.smallest_group >= 6
    for update in (
        {"k": "x"},
        {"method": {"name": "mdaf"}},
        {"edits": [5]},
        {"colour": 1},
        {"replace": {"age": "mean"}},
    ):
        with pytest.raises(ParameterError):
            plan.model_copy(update=update)
