"""What the help and the demo tell a user to type is understood."""

from __future__ import annotations

import re

import pytest
import typer

from book.sample_files import census
from command_line import run_shoal
from shoal.cli.app import app
from shoal.cli.options import catalogue_helps
from shoal.measure import MEASURES
from shoal.recode.catalogue import RECODES
from shoal.write import write_table

COMMANDS = typer.main.get_command(app).commands


def quoted(option: str) -> set[str]:
    """Return what stands in quotation marks with a parameter, "mdav:variant=two-k", in the help of an option."""
    options = [one for command in COMMANDS.values() for one in command.params if one.name == option]
    helps = [catalogue_helps().get(option) or one.help for one in options]
    return {example for text in helps for example in re.findall(r'"([^"]+[:=][^"]+)"', text)}


@pytest.mark.parametrize("option", ["method", "replace"])
def test_methods_and_replacements_in_the_help_can_be_typed(option, tmp_path):
    write_table(census(), tmp_path / "census.csv")
    assert quoted(option)
    for example in quoted(option):
        ran = run_shoal(
            "protect", "census.csv", "-k", 5, f"--{option}", example, "-o", "masked.csv", "-q", cwd=tmp_path
        )
        assert ran.returncode == 0, ran.stderr


def test_measures_and_recodes_in_the_help_are_there():
    assert {example.split(":")[0] for example in quoted("option")} <= set(MEASURES)
    recodes = {example.partition("=")[2].split(":")[0] for example in quoted("recodes")}
    assert recodes
    assert recodes <= set(RECODES)


def test_the_help_names_every_command_in_a_whole_sentence():
    told = run_shoal("--help").stdout
    assert [name for name in COMMANDS if f"\n  {name} " in told] == list(COMMANDS)
    assert "..." not in told.partition("Commands:")[2]


def test_no_example_of_a_command_stands_in_the_help_unread():
    """Where the help gets examples of whole commands, they have to be run, as those of the pages are."""
    assert not [name for name in COMMANDS if re.search(r"^\s*shoal ", run_shoal(name, "--help").stdout, re.MULTILINE)]


def test_what_the_demo_says_can_be_typed_next(tmp_path):
    said = re.findall(
        r"shoal ((?:describe|measure|report|protect) .+)", run_shoal("demo", "-n", 600, cwd=tmp_path).stdout
    )
    assert len(said) == 4
    for command in said:
        ran = run_shoal(*command.split(), cwd=tmp_path)
        assert ran.returncode == 0, ran.stderr
