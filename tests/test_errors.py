"""Errors and warnings: where a warning says it comes from."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

import shoal
from shoal.errors import ConvergenceWarning, warn
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
