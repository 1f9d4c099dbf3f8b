"""What the commands of the command line share: options, and how their texts are read."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Annotated, Any

import typer

from shoal.errors import ParameterError
from shoal.parameters.choices import split_outside_brackets

__all__ = [
    "Blocks",
    "Columns",
    "Confidential",
    "Decimal",
    "Delimiter",
    "Edits",
    "Encoding",
    "First",
    "Kind",
    "Missing",
    "Original",
    "Quiet",
    "Repair",
    "Replace",
    "Role",
    "Rules",
    "Sheet",
    "ShowValues",
    "Standardize",
    "Strata",
    "Tolerance",
    "Weights",
    "assignments_in",
    "blocks_in",
    "methods_in",
    "names_in",
    "refuse_beside_plan",
    "replacements_in",
    "settings_in",
    "what_was_given",
    "whole_numbers_in",
]

Columns = Annotated[list[str] | None, typer.Option(help="Columns to protect, separated by commas.")]
Role = Annotated[
    list[str] | None, typer.Option(help="COLUMN=ROLE: identifier, key, confidential, weight, stratum, other.")
]
Kind = Annotated[list[str] | None, typer.Option(help="COLUMN=KIND: continuous, ordinal, nominal.")]
Replace = Annotated[
    list[str] | None,
    typer.Option(
        help='What stands for a group: "mean", "median", "mode", "geometric-mean", '
        '"order-statistic:q=0.25"; COLUMN=NAME for one column; "membership-draw:m2=1.3" if fuzzy; "hybrid", "ipso", '
        '"muralidhar-sarathy:alpha=0.5" or "fuzzy-regression:n_clusters=5" to rewrite the confidential columns. [mean]'
    ),
]
Blocks = Annotated[
    list[str] | None,
    typer.Option(help="Columns in a block (a number), or one block's columns; repeat for more blocks."),
]
Confidential = Annotated[
    list[str] | None,
    typer.Option(
        help="Columns that synthetic and hybrid data rewrite; the others stay. [those with the role confidential]"
    ),
]
Edits = Annotated[
    Path | None,
    typer.Option(
        help='Rules that hold in the release: a text file with one a line ("net + tax == gross"), or Schematron.'
    ),
]
Repair = Annotated[
    bool, typer.Option("--repair", help="Mend linear rules that the file breaks, instead of refusing it.")
]
Rules = Annotated[
    Path,
    typer.Option("--edits", help="The rules: a text file with one a line, or a Schematron file (.sch, .xml)."),
]
Original = Annotated[Path | None, typer.Option(help='The table that rules such as "town in original" speak of.')]
Tolerance = Annotated[
    float,
    typer.Option(help="What counts as rounding where a rule computes, as a part of the size of what it computes."),
]
First = Annotated[int, typer.Option(help="For how many of the records that break a rule to print the number.")]
ShowValues = Annotated[
    bool,
    typer.Option(
        "--show-values",
        help="Print their values too. These are the values of FILE: original ones, if it is the original.",
    ),
]
Strata = Annotated[list[str] | None, typer.Option(help="Columns whose values no group may mix.")]
Weights = Annotated[str | None, typer.Option(help="The column of sampling weights.")]
Missing = Annotated[str | None, typer.Option(help='"error" refuses gaps, "keep" leaves them where they are. [error]')]
Standardize = Annotated[
    bool | None, typer.Option("--standardize/--no-standardize", help="Take distances on standard scores. [yes]")
]

Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors and warnings.")]
Delimiter = Annotated[str | None, typer.Option(help="What separates the cells of a CSV file. [found in its header]")]
Decimal = Annotated[str | None, typer.Option(help='The decimal mark of a CSV file, "." or ",".')]
Encoding = Annotated[str | None, typer.Option(help="The encoding of a CSV file. [utf-8]")]
Sheet = Annotated[str | None, typer.Option(help="The sheet of an Excel file. [the first]")]


def names_in(given: list[str] | None) -> list[str] | None:
    """Split "a,b" at its commas; a name with a comma in it goes in double quotes."""
    if not given:
        return None
    try:
        return [
            name for text in given for name in next(csv.reader(io.StringIO(text, newline=""), skipinitialspace=True))
        ]
    except (csv.Error, StopIteration):
        raise ParameterError(
            f"Names of columns go between commas, those with a comma in double quotes; got {given}."
        ) from None


def methods_in(given: str) -> list[str]:
    """Split "mdav,hac:linkage=single,priority=1" at the commas that begin a method, not at those between parameters."""
    methods: list[str] = []
    for part in split_outside_brackets(given):
        if methods and "=" in part.partition(":")[0]:
            methods[-1] += f",{part}"
        else:
            methods.append(part)
    return methods


def assignments_in(option: str, given: list[str] | None) -> dict[str, str]:
    """Read "COLUMN=VALUE", once or several times."""
    pairs = {}
    for text in given or []:
        name, sign, value = text.rpartition("=")
        if not sign or not name or not value:
            raise ParameterError(f'{option} wants COLUMN=VALUE; got "{text}".')
        pairs[name] = value
    return pairs


def whole_numbers_in(given: str) -> list[int]:
    """Read "3,5,10" as the values of k."""
    parts = [part.strip() for part in given.split(",") if part.strip()]
    if not parts or not all(part.isascii() and part.isdigit() for part in parts):
        raise ParameterError(f'-k wants whole numbers separated by commas; got "{given}".')
    return [int(part) for part in parts]


def replacements_in(given: list[str] | None, names: list[str]) -> str | dict[str, str] | None:
    """Read "mean" as one replacement for all, "AGE=median" as one for a column."""
    named: dict[str, str] = {}
    for_all = []
    for text in given or []:
        # A name may hold "=" and a replacement may have "q=0.25" behind it: the longest name that exists counts.
        column = max((name for name in names if text.startswith(f"{name}=")), key=len, default=None)
        if column is not None:
            named[column] = text[len(column) + 1 :]
        else:
            for_all.append(text)
    if len(for_all) > 1 or (for_all and named):
        raise ParameterError(
            "--replace takes one name for all columns, or COLUMN=NAME for each; got both or two for all."
        )
    return for_all[0] if for_all else named or None


def blocks_in(given: list[str] | None) -> int | list[list[str]] | None:
    """Read the number of columns in a block, or the columns of every block."""
    if not given:
        return None
    if len(given) == 1 and given[0].lstrip("-").isdigit():
        return int(given[0])
    return [names_in([text]) or [] for text in given]


def settings_in(names: list[str], **texts: Any) -> dict[str, Any]:
    """Read the options that `protect` and `compare` share; `names` are the columns of the table."""
    from shoal.edits import read_edits

    settings = {
        "columns": names_in(texts["columns"]),
        "roles": assignments_in("--role", texts["role"]),
        "kinds": assignments_in("--kind", texts["kind"]),
        "replace": replacements_in(texts["replace"], names),
        "blocks": blocks_in(texts["blocks"]),
        "strata": names_in(texts["strata"]),
        "weights": texts["weights"],
        "confidential": names_in(texts["confidential"]),
        "edits": None if texts["edits"] is None else read_edits(texts["edits"]),
    }
    return what_was_given(**settings)


def what_was_given(**options: Any) -> dict[str, Any]:
    """Return the options that are not None."""
    return {name: value for name, value in options.items() if value is not None}


def refuse_beside_plan(options: list[str]) -> None:
    """Raise ParameterError if an option is given beside --plan that the plan has settled."""
    if options:
        option = "-k" if options[0] == "k" else f"--{options[0]}"
        raise ParameterError(f"--plan says it all; {option} cannot change it. Edit the plan, or leave {option} out.")
