"""Errors and warnings: what an error is about, and where a warning says it comes from."""

from __future__ import annotations

import pickle
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import shoal
from shoal import errors
from shoal.errors import (
    ColumnError,
    ConvergenceWarning,
    MethodError,
    MissingValuesError,
    ParameterError,
    ShoalError,
    TooFewRecordsError,
    warn,
)
from shoal.partition.fuzzy import FuzzyCMeans


def line_here() -> int:
    return sys._getframe(1).f_lineno


def test_a_warning_names_the_line_outside_shoal_that_led_to_it():
    X = np.random.default_rng(0).normal(size=(60, 2))
    with pytest.warns(ConvergenceWarning) as caught:
        line = line_here() + 1
        FuzzyCMeans(3, max_iter=1).fit(X)
    assert (caught[0].filename, caught[0].lineno) == (__file__, line)


@pytest.mark.parametrize("depth", [0, 1, 7])
def test_however_deep_inside_shoal_it_is_given(depth):
    source = "def descend(depth):\n    return descend(depth - 1) if depth else warn('something', category)\n"
    names = {"warn": warn, "category": ConvergenceWarning}
    exec(compile(source, str(Path(shoal.__file__).parent / "flow" / "deep.py"), "exec"), names)
    with pytest.warns(ConvergenceWarning, match="something") as caught:
        line = line_here() + 1
        names["descend"](depth)
    assert (caught[0].filename, caught[0].lineno) == (__file__, line)


def test_a_folder_whose_name_only_begins_like_that_of_shoal_is_outside():
    names = {"warn": warn, "category": ConvergenceWarning}
    file = f"{Path(shoal.__file__).parent}_tools/script.py"
    exec(compile("def descend():\n    warn('something', category)\n", file, "exec"), names)
    with pytest.warns(ConvergenceWarning) as caught:
        names["descend"]()
    assert (caught[0].filename, caught[0].lineno) == (file, 2)


FRAME = pd.DataFrame({"a": [1.0, 2, 3, 4, 5, 6], "b": [1.0, 1, 2, 2, 3, 3], "part": ["x"] * 4 + ["y"] * 2})


@pytest.mark.parametrize(
    ("arguments", "kind", "fields"),
    [
        ({"k": 9}, TooFewRecordsError, {"k": 9, "records": 6, "strata": None}),
        ({"k": 3, "strata": "part"}, TooFewRecordsError, {"k": 3, "records": 2, "strata": ("part",)}),
        ({"k": 1}, ParameterError, {"parameter": "k"}),
        ({"k": 2, "columns": ["z"]}, ColumnError, {"column": "z"}),
        ({"k": 2, "replace": {"z": "mean"}}, ParameterError, {"parameter": "replace"}),
        ({"k": 2, "columns": ["a"], "method": "fuzzy", "weights": "b"}, MethodError, {"method": "fuzzy"}),
    ],
)
def test_an_error_carries_what_it_is_about(arguments, kind, fields):
    with pytest.raises(kind) as caught:
        shoal.protect(FRAME, **arguments)
    assert {name: getattr(caught.value, name) for name in fields} == fields
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value) and {name: getattr(again, name) for name in fields} == fields


def test_missing_values_are_counted_by_column():
    with pytest.raises(MissingValuesError) as caught:
        shoal.protect(FRAME.assign(a=[1.0, None, None, 4, 5, 6]), 2)
    assert caught.value.columns == {"a": 2}


def test_a_field_that_an_error_does_not_have_is_a_mistake_of_ours():
    with pytest.raises(TypeError, match="has no field"):
        TooFewRecordsError("too few", colour="blue")


def test_every_error_says_what_it_means_without_its_docstring():
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, ShoalError)]
    assert len({kind.meaning for kind in kinds}) == len(kinds) > 10
