"""What a message suggests can be pasted into bash, whatever a column is called: the command line takes it."""

from __future__ import annotations

import ast
import re
import warnings
from itertools import cycle

import numpy as np
import pandas as pd
import pytest

import shoal
from command_line import bash_words, run_in_bash, run_shoal
from shoal.cli.options import PROTECTION, READING, read_options
from shoal.errors import ShoalError
from shoal.parameters.typed import QUOTED

NAMES = [
    *("plain", "net income", "a\nb", "tab\there", "cr\rlf\n", 'say "no"', "it's", "US$", "$HOME", "`id`", "$(id)"),
    *("a=b", "=", "a,b", ",", "a;b|c&d>e<f", "back\\slash", "-k", "--role", "!x", "two  blanks", " led", "trailed "),
    *(
        "é",
        "naïve 😀",
        "👩‍👩‍👧",
        "\u202eevil",
        "nbsp\u00a0",
        "*",
        "#c",
        "~",
        "{a,b}",
        "a%b",
        "x)y(",
        "\x1b[31m",
        "",
        "'\"`$\\\n",
    ),
]
OPTION = re.compile(rf"--[a-z-]+ (?:{QUOTED})")


def said(data, k=2, **options):
    """Return what is said while a table is protected: warnings, notes, and the refusal if there is one."""
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            release = shoal.protect(data, k, **options)
        except ShoalError as refusal:
            return [*(str(one.message) for one in warned), str(refusal)]
    return [*(str(one.message) for one in warned), *release.plan.outcome.notes]


def suggested(option, messages):
    """Return the option with its value as the messages have it, ready to be pasted."""
    return next(one for text in messages for one in OPTION.findall(text) if one.startswith(f"{option} "))


def texts(name):
    return pd.DataFrame({name: [f"person {place}" for place in range(24)], "x": np.arange(24.0) ** 2})


def test_what_is_to_be_decided_is_decided_by_what_is_suggested(tmp_path):
    columns = {name: [f"person {place}" for place in range(24)] for name in NAMES}
    pd.DataFrame({**columns, "x": np.arange(24.0) ** 2}).to_parquet(tmp_path / "names.parquet", index=False)
    ways = dict(zip(NAMES, cycle(["--role", "--as-is", "--kind"]), strict=False))
    options = [suggested(way, said(texts(name))) for name, way in ways.items()]
    ran = run_in_bash(f"shoal protect names.parquet -k 2 {' '.join(options)} -o out.parquet --quiet", tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert list(shoal.read_table(tmp_path / "out.parquet")) == [*(n for n in NAMES if ways[n] != "--role"), "x"]


def days(name):
    return pd.DataFrame({name: pd.date_range("2020-01-01", periods=24), "x": np.arange(24.0) ** 2})


def almost_numbers(name):
    return pd.DataFrame({name: [*map(str, range(100, 123)), "TEXT"], "x": np.arange(24.0) ** 2})


def households(name):
    return pd.DataFrame({f"{name} household id": np.repeat(np.arange(100), 3), "x": np.arange(300.0) ** 2})


def codes(name):
    return pd.DataFrame({name: [1, 2, 3] * 8, "x": np.arange(24.0) ** 2})


def towns(name):
    return pd.DataFrame({name: [*"aaaabbbbccccddeffg"], "x": np.arange(18.0) ** 2})


def within(name):
    return {"k": 4, "categories": {name: "within"}}


def no_options(name):
    return {}


# What to protect to be told of an option, how, and the option.
SAID = {
    "roles": (texts, no_options, "roles"),
    "unchanged": (texts, no_options, "as_is"),
    "orders": (towns, lambda name: {"kinds": {name: "ordinal"}}, "orders"),
    "recodes of dates": (days, no_options, "recodes"),
    "codes": (almost_numbers, no_options, "missing_codes"),
    "units": (households, no_options, "unit"),
    "kinds": (codes, no_options, "kinds"),
    "confidential": (
        codes,
        lambda name: {"replace": {name: "ipso"}, "kinds": {name: "continuous"}},
        "confidential",
    ),
    "categories": (towns, within, "categories"),
    "recodes of categories": (towns, within, "recodes"),
}
OPTIONS = {**PROTECTION, **READING}


def read(option, text, name):
    """Return the columns that the command line reads."""
    if option == "unit":
        return [text.removesuffix(" household id")]
    return list(read_options({option: [text]}, [] if option == "orders" else [name], OPTIONS)[option])


@pytest.mark.parametrize("what", SAID)
def test_the_command_line_reads_the_column_that_is_meant(what):
    make, options, option = SAID[what]
    typed = OPTIONS[option].typed
    words = bash_words(" ".join(suggested(typed, said(make(name), **options(name))) for name in NAMES))
    assert words[::2] == [typed] * len(NAMES)
    assert [read(option, *pair) for pair in zip(words[1::2], NAMES, strict=True)] == [[name] for name in NAMES]


def test_python_that_is_suggested_names_the_column_that_is_meant():
    for name in NAMES:
        message = said(codes(name), replace={name: "ipso"}, kinds={name: "continuous"})[-1]
        written = message.partition("by confidential=")[2].partition(" (--confidential")[0]
        assert ast.literal_eval(written) == name


def test_commands_that_name_files_can_be_pasted(tmp_path):
    texts("name").to_csv(tmp_path / "in.csv", index=False)
    for name in ("it's  my $job.toml", "-k.toml"):
        described = run_shoal("describe", "in.csv", f"-o{name}", cwd=tmp_path)
        command = described.stdout.splitlines()[-1].partition("then: ")[2]
        ran = run_in_bash(f"{command} -k 3 --role name=identifier -o out.csv --quiet", tmp_path)
        assert ran.returncode == 0, ran.stderr
