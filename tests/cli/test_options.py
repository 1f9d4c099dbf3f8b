"""Options that commands share are declared once, and their help lists what there is."""

from __future__ import annotations

import inspect

import pytest

import shoal
from command_line import run_shoal
from shoal.cli.options import PROTECTION, READING, takes
from shoal.cli.protect import protect
from shoal.cli.texts import read_decimals
from shoal.errors import ParameterError
from shoal.partition import METHODS
from shoal.replace import REPLACEMENTS

SAME = {"role": "roles", "kind": "kinds"}  # as the command line calls them


def test_every_option_of_protect_is_on_the_command_line_and_the_other_way_round():
    arguments = set(inspect.signature(shoal.protect).parameters) - {"data", "k", "method", "seed"}
    assert {SAME.get(name, name) for name in PROTECTION} == arguments
    assert set(PROTECTION) | set(READING) <= set(inspect.signature(protect).parameters)


def test_a_command_gets_a_group_as_what_was_given():
    seen = {}

    @takes(options=PROTECTION, reading=READING)
    def command(*, options: dict, reading: dict) -> None:
        seen.update(options=options, reading=reading)

    nothing = dict.fromkeys([*PROTECTION, *READING]) | {"repair": False}
    command(**nothing)
    assert seen == {"options": {}, "reading": {}}
    command(**nothing | {"repair": True, "standardize": False, "columns": ["a,b"], "sheet": "1"})
    assert seen == {"options": {"repair": True, "standardize": False, "columns": ["a,b"]}, "reading": {"sheet": "1"}}


@pytest.mark.parametrize("command", ["protect", "compare"])
def test_the_help_lists_every_method_and_replacement(command):
    ran = run_shoal(command, "--help")
    words = " ".join(ran.stdout.replace("-\n", "-").split())
    for catalogue in (METHODS, REPLACEMENTS):
        for name, kind in catalogue.items():
            assert f" {name} " in words and kind.summary[:30] in words


def test_a_column_is_given_one_value_only():
    with pytest.raises(ParameterError, match='--decimals gives "a" two values, 2 and 3'):
        read_decimals(["a=2,a=3"])
