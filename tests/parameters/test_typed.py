"""What is typed is what is read: by bash, by the command line and by Python."""

from __future__ import annotations

import ast
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from command_line import bash_words
from shoal.cli.options import PROTECTION, READING, read_options
from shoal.parameters.of_columns import read_names
from shoal.parameters.typed import QUOTED, in_python, in_quotes, listed, typed, typed_path

NAMES = st.text(st.characters(blacklist_characters="\0", blacklist_categories=("Cs",)), max_size=12)


@given(st.lists(NAMES, min_size=1, max_size=40))
def test_bash_reads_every_text_as_it_is(names):
    written = [in_quotes(name) for name in names]
    assert bash_words(" ".join(written)) == names
    for text in written:
        assert text.isprintable()
        assert re.fullmatch(QUOTED, text)


@given(st.lists(NAMES, min_size=1, max_size=5), st.sampled_from(["", "="]))
def test_the_command_line_reads_every_list_as_it_is(names, apart):
    assert read_names([listed(names, apart=apart)]) == names


@given(NAMES)
def test_the_command_line_reads_every_pair_as_it_is(name):
    asked = {"roles": bash_words(typed("--role", name, "identifier"))[1:]}
    asked["orders"] = [f"{listed([name], apart='=')}=low<high"]
    read = {"roles": {name: "identifier"}, "orders": {name: ["low", "high"]}}
    assert read_options(asked, group=PROTECTION | READING) == read


@given(NAMES)
def test_python_reads_every_text_as_it_is(name):
    assert ast.literal_eval(in_python(name)) == name
    assert in_python(name).isprintable()


@pytest.mark.parametrize(
    ("path", "written"),
    [
        ("out/masked.csv", "out/masked.csv"),
        ("Größe.csv", "Größe.csv"),
        ("my data/a.csv", '"my data/a.csv"'),
        ("-k.csv", "./-k.csv"),
        ("~/a.csv", '"~/a.csv"'),
        ("a\nb.csv", r"$'a\nb.csv'"),
    ],
)
def test_paths_are_in_quotes_where_they_need_them(path, written):
    assert typed_path(path) == written
    assert bash_words(written) == [path if not path.startswith("-") else f"./{path}"]
