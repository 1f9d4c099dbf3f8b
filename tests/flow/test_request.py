"""What can be asked is declared once: `protect` agrees with it, limits hold, and a plan gives its request back."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import shoal
from shoal.edits import parse_rule
from shoal.errors import ParameterError, ShoalError
from shoal.flow.plan import Plan
from shoal.flow.request import OPTIONS, OpenOptions, PlannedOptions, Request
from shoal.flow.settle import settle
from shoal.parameters.default import is_default
from shoal.parameters.limits import OrNone
from shoal.read import as_table
from shoal.recode import Bands

ARGUMENTS = {name: one for name, one in inspect.signature(shoal.protect).parameters.items() if name != "data"}


def test_protect_has_the_declared_options_as_arguments():
    assert set(ARGUMENTS) == set(OPTIONS)
    assert set(PlannedOptions.model_fields).isdisjoint(OpenOptions.model_fields)


@pytest.mark.parametrize("name", [name for name in OPTIONS if name != "k"])
def test_the_default_of_an_argument_is_the_declared_one(name):
    default = ARGUMENTS[name].default
    assert OPTIONS[name].default == (None if is_default(default) else default)


def test_the_docstring_of_protect_explains_every_option_in_the_order_of_the_arguments():
    parameters = inspect.cleandoc(shoal.protect.__doc__ or "").partition("Returns\n---")[0]
    explained = re.findall(r"^(\w+)\n    \S", parameters, re.MULTILINE)
    assert explained == ["data", *ARGUMENTS]


def test_declarations_are_read_without_what_protects():
    heavy = ("numpy", "pandas", "numba", "sklearn", "pyarrow", "narwhals")
    code = f"import sys, shoal.flow.request; print(*set(sys.modules) & {set(heavy)!r})"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.split() == []


BAD = [(name, bad) for name, option in OPTIONS.items() for bad in option.limit.bad_values()]


@pytest.mark.parametrize(("name", "bad"), BAD, ids=[f"{name}-{place}" for place, (name, _) in enumerate(BAD)])
def test_every_bad_value_is_refused_by_the_name_of_its_option_in_one_line(name, bad):
    with pytest.raises(ShoalError, match=name) as refused:
        Request.settled(**{"k": 3, name: bad})
    assert "\n" not in str(refused.value)


def test_every_number_and_word_has_bad_values():
    assert {name for name, _ in BAD} >= {name for name, option in OPTIONS.items() if option.form.widget != "text"}


@pytest.fixture(scope="module")
def table():
    draw = np.random.default_rng(5)
    frame = pd.DataFrame(draw.normal(50, 9, (60, 3)).round(2), columns=["a", "b", "c"])
    frame["sex"] = draw.choice(["f", "m"], 60)
    return frame.assign(age=draw.integers(18, 90, 60), home=np.arange(60) // 2, w=draw.uniform(1, 2, 60).round(1))


ASKED = {
    "nothing": {},
    "names": {"columns": ("a", "sex"), "roles": {"home": "identifier"}, "kinds": {"sex": "nominal"}},
    "objects": {"method": shoal.partition.VMDAV(k=4, gamma=0.3), "replace": shoal.replace.OrderStatistic(q=0.25)},
    "a replacement by column": {"replace": {"a": "median", "b": shoal.replace.OrderStatistic(q=0.75)}},
    "blocks": {"blocks": [["a", "sex"], pd.Index(["b", "c"])], "as_is": "age"},
    "recodes": {"recodes": {"age": Bands(width=10, top=80)}, "missing_codes": {"a": -9, "*": [99.5]}},
    "rules": {"edits": ["a >= 0", parse_rule("b <= 1000")], "repair": np.True_, "decimals": {"a": np.int64(2)}},
    "units": {"unit": "home", "drop_unit": True, "weights": "w"},
    "words": {"categories": {"sex": "suppress"}, "missing": "keep", "standardize": False},
    "numbers": {"dominance": np.float64(95), "seed": 2**63 - 1, "decimals": 1},
    "synthetic": {"columns": ["a", "b", "c"], "replace": "hybrid", "confidential": "a", "bounds": True},
}


@pytest.mark.filterwarnings("ignore::shoal.errors.ShoalWarning")
@pytest.mark.parametrize("options", ASKED.values(), ids=ASKED)
def test_a_plan_holds_what_was_asked_and_that_leads_to_its_decisions(options, table, tmp_path):
    k = 12 if options.get("replace") == "hybrid" else 4
    plan = settle(table, k, **options).plan
    plan.to_toml(tmp_path / "plan.toml")
    read = Plan.from_toml(tmp_path / "plan.toml")
    assert read.request == plan.request == Request.of(as_table(table), k, options)
    asked = read.request.model_dump() | {"seed": plan.seed}
    assert set(options) <= set(asked)
    again = settle(table, **asked).plan
    own = {"key", "asked"}
    assert again.model_dump(exclude=own) == plan.model_dump(exclude=own)


def test_a_plan_that_does_not_say_what_was_asked_for_is_carried_out_as_before(table, tmp_path):
    release = shoal.protect(table, 4, replace="median", seed=3)
    unsaid = release.plan.model_copy(update={"asked": None, "input": None})
    unsaid.to_toml(tmp_path / "plan.toml")
    assert "[asked]" not in (tmp_path / "plan.toml").read_text()
    read = Plan.from_toml(tmp_path / "plan.toml")
    assert read.request is None
    pd.testing.assert_frame_equal(read.run(table).data, release.data)


def test_what_is_left_out_of_public_reports_is_declared(table):
    public = shoal.protect(table, 4, seed=3, roles={"home": "identifier"}).plan.public()
    assert {"seed", "key", "asked", "missing_codes"}.isdisjoint(public)
    assert "home" not in str(public)


def test_an_option_that_there_is_not_is_named_with_the_nearest_one(table):
    with pytest.raises(ParameterError, match=r'protect has no option "dominanse"\. Did you mean "dominance"'):
        settle(table, 3, dominanse=80)


def test_none_is_within_the_limits_of_what_is_none_by_default():
    optional = {name for name, option in OPTIONS.items() if isinstance(option.limit, OrNone)}
    assert optional == {name for name in OPTIONS if name != "k" and OPTIONS[name].default is None} - {
        "recodes",
        "missing_codes",
        "edits",
    }
