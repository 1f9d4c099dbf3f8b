"""The job that `shoal describe FILE -o job.toml` begins: what shoal takes the columns for, and what is to be decided.

What only makes a release safer is set: an identifier is dropped, a unit is counted, keys and confidential variables
are named. What would release a column as it is, a weight or a stratum, is a comment until somebody decides it. No value
of the data is in it: names of columns, usual codes of missing values, and round numbers that do not depend on the data.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import tomli_w

from shoal.describe import Variable, describe_table
from shoal.describe.kinds.text_numbers import amounts_in_categories
from shoal.describe.kinds.undecided import undecided
from shoal.describe.variables import word_like
from shoal.errors import visible
from shoal.parameters.typed import typed_path
from shoal.read import Table

__all__ = ["codes_of_missing", "questions_about", "suggested_job"]

_MOST_NAMED = 12  # columns in a comment
_AGE = re.compile(r"age|ages|alter|edad|eta|leeftijd")
_YEAR = re.compile(r"year|yob|birthyear|byear")
_BANDS = {_AGE: "bands:width=5,top=85", _YEAR: "bands:width=5"}
_DATES = "dates or times"  # as `undecided` calls them
# Codes that usually mean that there is no value, and the words that their labels have.
_BELOW = (-9, -8, -7, -99, -98, -97, -999, -998, -997, -9999, -99999, -999999)
_ABOVE = (99, 999, 9999, 99999, 999999, 9999999, 99999999, 999999999)
_APART = 0.7  # the largest other value is at most so much of a code of nines
_NO_ANSWER = re.compile(
    r"\b(missing|refus\w*|no answer|not answered|don.?t know|dk|unknown|not applicable|n/?a|not stated|not available|"
    r"inapplicable|no response|nonresponse|non-response)\b",
    re.IGNORECASE,
)
_HEADER = """\
# A job of shoal, begun by `shoal describe`: what is in it are suggestions. Read and change it, set k, and then:
#     shoal protect --job {job}
# A line that begins with # does nothing. Options are those of shoal.protect; paths are relative to this file.
"""


def suggested_job(
    table: Table,
    job: str | os.PathLike[str],
    output: str | os.PathLike[str],
    reading: Mapping[str, Any] | None = None,
) -> str:
    """Return the text of a job for a file.

    Parameters
    ----------
    table
        The file, as it was read.
    job
        Where the job will be, which paths in it are relative to.
    output
        Where the release is to go.
    reading
        The options that the file was read with.
    """
    variables = [one for one in describe_table(table) if one.distinct]
    open_questions = questions_about(table)
    unit = next((one.name for one in variables if one.role == "unit"), "")
    folder = Path(job).resolve().parent
    source = "" if table.source is None else _relative(table.source, folder)
    lines = [
        *_HEADER.format(job=typed_path(Path(job).name)).splitlines(),
        "",
        _line("file", source) if source else '# file = "survey.csv"',
        _line("output", _relative(Path(output), folder)),
        f"# {_line('report', f'{Path(output).stem}-report.html')}  # for those who may see the original",
        "",
        *_k(unit),
        "",
        *_roles_of_one_column(variables, unit),
        *_missing(table, variables),
        *_options(),
        *_section("kinds", _kinds(variables, open_questions)),
        *_section("roles", _roles(variables, open_questions)),
        *_section("recodes", _recodes(variables, open_questions)),
        *_section("missing_codes", _missing_codes(table, variables)),
        *_reading(reading or {}),
        *_then(),
    ]
    return "\n".join(lines) + "\n"


def questions_about(table: Table) -> dict[str, str]:
    """Return by column what is to be decided before it can be protected, where something is."""
    return {name: question for name in table.names if (question := _question(table, name))}


def _line(name: str, value: Any) -> str:
    """Return an assignment as TOML, on one line."""
    return f"{_key(name)} = {_value(value)}"


def _key(name: str) -> str:
    return tomli_w.dumps({name: 0}).rstrip().removesuffix(" = 0")


def _value(value: Any) -> str:
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_value, value))}]"
    return tomli_w.dumps({"a": value}).rstrip().removeprefix("a = ")


def _relative(path: Path, folder: Path) -> str:
    try:
        return Path(os.path.relpath(path.resolve(), folder)).as_posix()
    except ValueError:  # another drive
        return str(path.resolve())


def _question(table: Table, name: str) -> str:
    """Return what is to be decided about a column before it can be protected, "" if nothing is."""
    return undecided(table, name) or (
        f"{amounts} look like amounts" if (amounts := amounts_in_categories(table, name)) else ""
    )


def _k(unit: str) -> list[str]:
    alike = "different units behind" if unit else "records with"
    return [
        f"# k, the fewest {alike} every released combination of values. It has to be set, there is no default:",
        "# 3 is usual for files under contract, 5 or 10 for files that anyone can get; more for small populations.",
        "# k = 5",
    ]


def _roles_of_one_column(variables: Sequence[Variable], unit: str) -> list[str]:
    lines = []
    if unit:
        lines += [
            "# Records with the same value belong together, as those of a household or a firm do.",
            _line("unit", unit),
        ]
        lines += ["# drop_unit = true  # leaves the column out; otherwise it gets new ids", ""]
    weights = [one.name for one in variables if one.role == "weight"]
    if weights:
        lines += [
            "# decide: sampling weights count in the values of groups and are released as they are. One column at most."
        ]
        lines += [f"# {_line('weights', name)}" for name in weights]
        lines.append("")
    return lines


def _missing(table: Table, variables: Sequence[Variable]) -> list[str]:
    incomplete = [one.name for one in variables if one.missing]
    if not incomplete:
        return []
    return [
        f"# decide: values are missing in {_named(incomplete)}. They are refused unless this is set:",
        '# "fill" gives them the values of their group; "keep" leaves them, and records may be unique by them.',
        '# missing = "fill"',
        "",
    ]


def _options() -> list[str]:
    return [
        '# edits = ["net + tax == gross"]  # rules that hold in the release too, or the path of a file',
        '# categories = "group"  # or "suppress", "within": what is done with nominal and ordinal columns',
        '# as_is = ["column"]  # released unchanged: counted, and warned of',
        '# method = "mdav"',
        '# replace = "mean"',
    ]


def _section(name: str, lines: Sequence[str]) -> list[str]:
    """Return a table of the job; its header is a comment if all its lines are."""
    if not lines:
        return []
    is_set = any(not line.startswith("#") for line in lines)
    return ["", f"[{name}]" if is_set else f"# [{name}]", *lines]


def _kinds(variables: Sequence[Variable], open_questions: Mapping[str, str]) -> list[str]:
    """Return the kinds of what is protected, as shoal takes it."""
    lines = []
    for one in variables:
        if one.role in ("identifier", "unit"):
            continue
        question = open_questions.get(one.name)
        if question:
            lines.append(f"# {_line(one.name, 'nominal')}  # decide: {question}")
        elif one.kind is not None:
            lines.append(_line(one.name, one.kind) + _why(one))
    return lines


def _why(one: Variable) -> str:
    """Return why a kind is no matter of course, as a comment."""
    codes = "few whole numbers" in one.reason
    return '  # few whole numbers, taken as codes; "continuous" if they are amounts' if codes else ""


def _roles(variables: Sequence[Variable], open_questions: Mapping[str, str]) -> list[str]:
    """Return the roles that are suggested, and the ways out for columns that are to be decided."""
    lines = []
    for one in variables:
        question = open_questions.get(one.name)
        if one.role == "identifier":
            why = question or "nearly every value is different"
            lines.append(f"{_line(one.name, 'identifier')}  # dropped: {why}")
        elif question:
            lines.append(
                f"# {_line(one.name, 'identifier')}  # decide: {question}. Drop it so, give its kind above, or name it "
                "in as_is"
            )
        elif one.role == "stratum":
            lines.append(
                f"# {_line(one.name, 'stratum')}  # decide: groups would not mix its values, but they would be "
                "released as they are"
            )
        elif one.role in ("key", "confidential"):
            lines.append(_line(one.name, one.role))
    return lines


def _recodes(variables: Sequence[Variable], open_questions: Mapping[str, str]) -> list[str]:
    """Return recodes of ages, years and dates, as comments."""
    lines = []
    for one in variables:
        if one.role in ("identifier", "unit", "weight"):
            continue
        by_name = next((text for words, text in _BANDS.items() if word_like(words, one.name)), "")
        if open_questions.get(one.name) == _DATES:
            lines.append(f"# {_line(one.name, 'date-part:year')}")
        elif by_name and one.kind == "continuous" and one.name not in open_questions:
            lines.append(f"# {_line(one.name, by_name)}")
    return lines


def _missing_codes(table: Table, variables: Sequence[Variable]) -> list[str]:
    """Return values that look like codes of missing ones, as comments."""
    found = {one.name: codes_of_missing(table, one.name) for one in variables if table.is_numeric(one.name)}
    return [f"# {_line(name, codes)}  # decide: no values?" for name, codes in found.items() if codes]


def codes_of_missing(table: Table, name: str) -> list[int]:
    """Return the codes in a column of numbers that their label, or the values beside them, show to mean no value."""
    numbers = table.numbers(name)
    values = np.unique(numbers[np.isfinite(numbers)])
    labels = table.labels.values.get(name, {})
    by_label = [code for code, text in labels.items() if _NO_ANSWER.search(str(text)) and _is_whole(code)]
    found = {int(code) for code in by_label if float(code) in values}
    found.update(code for code in _BELOW if code in values and not _others_are(values, lambda other: other < 0))
    largest = next((code for code in _ABOVE if len(values) and values[-1] == code), None)
    if largest is not None and len(values) > 2 and values[-2] <= _APART * largest:
        found.add(largest)
    return sorted(found)


def _is_whole(code: Any) -> bool:
    return isinstance(code, int | float) and not isinstance(code, bool) and float(code).is_integer()


def _others_are(values: Any, such: Callable[[Any], Any]) -> bool:
    """Whether values that are no usual codes are such."""
    others = values[~np.isin(values, _BELOW)]
    return bool(np.any(such(others)))


def _reading(reading: Mapping[str, Any]) -> list[str]:
    """Return the options that the file was read with, which it needs again."""
    plain = {name: value for name, value in reading.items() if value is not None}
    return ["", *tomli_w.dumps({"reading": plain}).rstrip().splitlines()] if plain else []


def _then() -> list[str]:
    return [
        "",
        "# Further steps, each on what the one before it released, for the columns that it names:",
        "# [[then]]",
        '# columns = ["income"]',
        '# method = "mdav"',
    ]


def _named(names: Sequence[str]) -> str:
    """Return names for a comment, on one line; of many the first, and how many more there are."""
    listed = ", ".join(visible(name) for name in names[:_MOST_NAMED])
    return f"{listed} and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else listed
