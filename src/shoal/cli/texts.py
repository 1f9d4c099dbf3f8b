"""How the texts of options are read: names of columns, pairs, lists of k, blocks, replacements."""

from __future__ import annotations

import csv
import io
import re
from typing import Any

from shoal.errors import ParameterError, nearest_name_hint
from shoal.parameters.choices import split_outside_brackets, written_form
from shoal.parameters.default import BY_RULES

__all__ = [
    "read_assignments",
    "read_blocks",
    "read_categories",
    "read_decimals",
    "read_ks",
    "read_measure_options",
    "read_methods",
    "read_missing_codes",
    "read_names",
    "read_orders",
    "read_recodes",
    "read_replacements",
]


def read_names(texts: list[str] | None) -> list[str] | None:
    """Split "a,b" at its commas; a name with a comma in it goes in double quotes."""
    if not texts:
        return None
    try:
        return [
            name for text in texts for name in next(csv.reader(io.StringIO(text, newline=""), skipinitialspace=True))
        ]
    except (csv.Error, StopIteration):
        raise ParameterError(
            f"Names of columns go between commas, those with a comma in double quotes; got {texts}."
        ) from None


def read_methods(text: str) -> list[str]:
    """Split "mdav,hac:linkage=single,priority=1" at the commas that begin a method, not at those between parameters."""
    methods: list[str] = []
    for part in split_outside_brackets(text):
        if methods and "=" in part.partition(":")[0]:
            methods[-1] += f",{part}"
        else:
            methods.append(part)
    return methods


def read_assignments(option: str, texts: list[str] | None) -> dict[str, str]:
    """Read "COLUMN=VALUE", once or several times."""
    pairs: dict[str, str] = {}
    for text in texts or []:
        name, sign, value = text.rpartition("=")
        if not sign or not value:  # a name may be empty
            raise ParameterError(f'{option} wants COLUMN=VALUE; got "{text}".')
        if pairs.setdefault(name, value) != value:
            raise ParameterError(f'{option} gives "{name}" two values, {pairs[name]} and {value}. Give it one.')
    return pairs


def read_orders(texts: list[str]) -> dict[str, list[str]]:
    """Read "education=primary<secondary", once or several times; columns with the same order by commas.

    A category that has "<" or "=" in it is put in quotes.
    """
    orders: dict[str, list[str]] = {}
    for text in texts:
        names, sign, order = _partition_outside_quotes(text)
        categories = [one.strip().strip('"') for one in re.split(r'<(?=(?:[^"]*"[^"]*")*[^"]*$)', order)]
        if not sign or not all(categories) or len(categories) < 2:
            raise ParameterError(f'--order wants COLUMN=LEAST<...<MOST; got "{text}".')
        for name in read_names([names]) or []:
            if orders.setdefault(name, categories) != categories:
                raise ParameterError(f'--order gives "{name}" two orders. Give it one.')
    return orders


def _partition_outside_quotes(text: str) -> tuple[str, str, str]:
    """Split a text at its first "=" that is not within double quotes."""
    sign = re.search('=(?=(?:[^"]*"[^"]*")*[^"]*$)', text)
    return (text, "", "") if sign is None else (text[: sign.start()], "=", text[sign.end() :])


def read_measure_options(texts: list[str] | None) -> dict[str, dict[str, Any]]:
    """Read "distance_linkage:direction=masked-to-original,ties=any", once or several times."""
    options: dict[str, dict[str, Any]] = {}
    for text in texts or []:
        name, _, rest = text.partition(":")
        parts = [part.partition("=") for part in split_outside_brackets(rest)]
        if not parts or not all(key.strip() and value.strip() for key, _, value in parts):
            raise ParameterError(f'--option wants MEASURE:OPTION=VALUE,OPTION=VALUE; got "{text}".')
        own = options.setdefault(name.strip(), {})
        for key, value in written_form(text, {}, "option").items():
            if key != "name" and own.setdefault(key, value) != value:
                raise ParameterError(f"--option gives {key} of {name.strip()} two values. Give it one.")
    return options


def read_ks(text: str) -> list[int]:
    """Read "3,5,10" as the values of k."""
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if not parts or not all(part.isascii() and part.isdigit() for part in parts):
        raise ParameterError(f'-k wants whole numbers separated by commas; got "{text}".')
    return [int(part) for part in parts]


def read_replacements(texts: list[str] | None, names: list[str]) -> str | dict[str, str] | None:
    """Read "mean" as one replacement for all columns, "AGE=median" as one for a column."""
    by_column: dict[str, str] = {}
    for_all = []
    for text in texts or []:
        # A name may hold "=" and a replacement may have "q=0.25" behind it: the longest name that exists counts.
        column = max((name for name in names if text.startswith(f"{name}=")), key=len, default=None)
        if column is not None:
            by_column[column] = text[len(column) + 1 :]
        else:
            for_all.append(text)
    if len(for_all) > 1 or (for_all and by_column):
        raise ParameterError(
            "--replace takes one name for all columns, or COLUMN=NAME for each; got both or two for all."
        )
    return for_all[0] if for_all else by_column or None


def read_recodes(texts: list[str] | None, names: list[str], option: str = "--recode") -> dict[str, list[str]] | None:
    """Read "age=bands:width=5", once or several times; those of one column in their order."""
    recodes: dict[str, list[str]] = {}
    for text in texts or []:
        column, recode = _column_and_rest(option, "COLUMN=RECODE", text, names)
        recodes.setdefault(column, []).append(recode)
    return recodes or None


def read_missing_codes(texts: list[str] | None, names: list[str]) -> dict[str, list[Any]] | None:
    """Read "income=-9,99999" or "*=-1", once or several times."""
    codes: dict[str, list[Any]] = {}
    for text in texts or []:
        column, values = _column_and_rest("--missing-codes", "COLUMN=VALUE,VALUE", text, [*names, "*"])
        codes.setdefault(column, []).extend(read_names([values]) or [])
    return codes or None


def _column_and_rest(option: str, wanted: str, text: str, names: list[str]) -> tuple[str, str]:
    """Split "age=bands:width=5" behind the column, whose name may hold "=": the longest name that exists counts."""
    column = max((name for name in names if text.startswith(f"{name}=")), key=len, default=None)
    if column is None:
        first, sign, _ = text.partition("=")
        hint = f' There is no column "{first}".{nearest_name_hint(first, names)}' if sign else ""
        raise ParameterError(f'{option} wants {wanted}; got "{text}".{hint}')
    if len(text) == len(column) + 1:
        raise ParameterError(f'{option} wants {wanted}; got "{text}".')
    return column, text[len(column) + 1 :]


def read_blocks(texts: list[str] | None) -> Any:
    """Read the number of columns in a block, "rules", or the columns of every block."""
    if not texts:
        return None
    if len(texts) == 1 and texts[0].lstrip("-").isdigit():
        return int(texts[0])
    if texts == [BY_RULES]:
        return BY_RULES
    return [read_names([text]) or [] for text in texts]


def read_categories(texts: list[str] | None) -> str | dict[str, str] | None:
    """Read "suppress" as what is done with all categories, "region=within,water=suppress" as one word a column."""
    if not texts:
        return None
    if len(texts) == 1 and "=" not in texts[0]:
        return texts[0].strip()
    pairs = read_names(texts) or []
    if any("=" not in pair for pair in pairs):
        raise ParameterError(
            f"--categories wants one word for all columns, or COLUMN=WORD for each of them; got {', '.join(texts)}."
        )
    return read_assignments("--categories", pairs)


def read_decimals(texts: list[str] | None) -> int | dict[str, int] | None:
    """Read "2" as the decimals of all columns, "income=2,tax=2" as those of each."""
    if not texts:
        return None
    if len(texts) == 1 and "=" not in texts[0]:
        return _whole_number(texts[0])
    pairs = read_assignments("--decimals", read_names(texts))
    return {name: _whole_number(number) for name, number in pairs.items()}


def _whole_number(text: str) -> int:
    if not re.fullmatch(r"-?[0-9]{1,9}", text.strip()):
        raise ParameterError(f'--decimals wants a whole number, or COLUMN=NUMBER; got "{text}".')
    return int(text)
