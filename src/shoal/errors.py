"""Every error and warning shoal raises.

::

    ShoalError                      catch this to catch them all
    ├── ParameterError              an argument that cannot be used (also a ValueError)
    │   ├── ColumnError             a column that is not there, or is there twice
    │   ├── RuleError               a rule that cannot be read, or asks for what cannot be
    │   └── PlanError               a plan or a job that cannot be read, a plan that no longer fits its input
    ├── DataError                   a table that cannot be protected as it is (also a ValueError)
    │   ├── ReadError               a file that cannot be read
    │   ├── MissingValuesError      missing values where none were expected
    │   ├── TooFewRecordsError      fewer records than k, in the file, a stratum or a variable
    │   ├── NotCloseError           no groups that are as close to the file as asked for (closeness)
    │   ├── MethodError             a method that cannot protect such a table; another may
    │   └── NotApplicableError      a measure that has no meaning for these files
    ├── WriteError                  a file that was not written; whatever stood there before still does
    └── ClusterError                workers that cannot be reached, or died

    ShoalWarning
    ├── IdentifierWarning           a column that is released looks like an identifier
    ├── DescriptionWarning          a variable is not what it was taken for: constant, left out, unprotected
    ├── DisclosureWarning           what was asked for lets through what k would not
    ├── ConvergenceWarning          an iteration was stopped before it converged
    └── CacheWarning                compiled code cannot be kept for the next run

A message is one line: what was wrong, what was given, what to do next. It never carries a value of the
confidential data; names of columns, row numbers and counts are as far as it goes. Whatever in it could steer a
terminal, because a column is named so, is escaped.
"""

from __future__ import annotations

import difflib
import os
import sys
import warnings
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, ClassVar

__all__ = [
    "CacheWarning",
    "ClusterError",
    "ColumnError",
    "ConvergenceWarning",
    "DataError",
    "DescriptionWarning",
    "DisclosureWarning",
    "IdentifierWarning",
    "MethodError",
    "MissingValuesError",
    "NotApplicableError",
    "NotCloseError",
    "ParameterError",
    "PlanError",
    "ReadError",
    "RuleError",
    "ShoalError",
    "ShoalWarning",
    "TooFewRecordsError",
    "WriteError",
    "warn",
]

_PACKAGE = f"{Path(__file__).parent}{os.sep}"


class ShoalError(Exception):
    """The base of every error shoal raises on purpose.

    An error carries what it is about as fields, None where a field was not given: ``error.k``, ``error.column``.
    `meaning` says in one sentence what kind of error it is, without anything about the data.
    """

    meaning: ClassVar[str] = "The work could not be done."

    def __init__(self, message: str, **fields: Any) -> None:
        super().__init__(visible(message))
        for name, value in fields.items():
            if not hasattr(type(self), name):
                raise TypeError(f"{type(self).__name__} has no field {name}")
            setattr(self, name, value)


class ParameterError(ShoalError, ValueError):
    """An argument cannot be used; the message says what would be accepted."""

    meaning = "An argument cannot be used."
    parameter: str | None = None


class ColumnError(ParameterError):
    """A column does not exist, exists twice, or is asked to play two roles."""

    meaning = "A column does not exist, exists twice, or is asked to play two roles."
    column: str | None = None


class RuleError(ParameterError):
    """An edit rule cannot be read, or no centre can satisfy it together with the others."""

    meaning = "An edit rule cannot be read, or cannot be kept by this method or together with the others."
    rule: str | None = None
    why: str | None = None  # what is wrong, in words that quote nothing: for rules in a file, which may be any file


class PlanError(ParameterError):
    """A plan or a job cannot be read, or a plan no longer fits the input it was made for."""

    meaning = "A plan or a job cannot be read, or a plan no longer fits the input it was made for."
    path: str | None = None


class DataError(ShoalError, ValueError):
    """The table cannot be protected as it is."""

    meaning = "The table cannot be protected as it is."


class ReadError(DataError):
    """A file cannot be read as a table."""

    meaning = "A file cannot be read as a table."
    path: str | None = None
    encoding: str | None = None  # that its text does not have


class MissingValuesError(DataError):
    """Values are missing and the caller did not say what to do about it."""

    meaning = "Values are missing, and nothing was said about what to do with them."
    columns: Mapping[str, int] | None = None  # how many values each column lacks


class TooFewRecordsError(DataError):
    """There are not k records to hide among."""

    meaning = "There are fewer than k records to hide among."
    k: int | None = None
    records: int | None = None  # how many there are
    strata: tuple[str, ...] | None = None  # the columns of the strata, if it is about one of them
    column: str | None = None


class NotCloseError(DataError):
    """No groups are as close to the file as asked for; `closeness` is the smallest that can be had, rounded up."""

    meaning = "No groups are as close to the file as asked for."
    closeness: float | None = None
    column: str | None = None
    strata: tuple[str, ...] | None = None  # the columns of the strata, if it is about one of them


class MethodError(DataError):
    """The method cannot protect such a table; another may."""

    meaning = "The method cannot protect such a table; another may."
    method: str | None = None


class NotApplicableError(DataError):
    """A measure has no meaning for these files; the message says what it needs."""

    meaning = "A measure has no meaning for these files."


class WriteError(ShoalError, OSError):
    """A file was not written; whatever was at the target before is still there, whole."""

    meaning = "A file was not written."


class ClusterError(ShoalError):
    """The workers of a cluster cannot be reached, or died; nothing was released."""

    meaning = "The workers of a cluster cannot be reached, or died."


class ShoalWarning(UserWarning):
    """The base of every warning shoal gives."""


class IdentifierWarning(ShoalWarning):
    """A column that is about to be released looks like an identifier."""


class DescriptionWarning(ShoalWarning):
    """A variable is not what it was taken for, and what shoal did about it."""


class DisclosureWarning(ShoalWarning):
    """What was asked for releases more of a record than k allows; the message says how much."""


class ConvergenceWarning(ShoalWarning):
    """An iteration was stopped before it converged; its result is usable, but not the best it could reach."""


class CacheWarning(ShoalWarning):
    """Compiled code cannot be kept for the next run, which will take as long to begin as this one."""


def nearest_name_hint(name: str, known: Iterable[str]) -> str:
    """Return " Did you mean ...?" for the known name closest to `name`, or an empty string."""
    names = {str(one).lower(): str(one) for one in known}
    close = difflib.get_close_matches(str(name).lower(), names, n=1)
    return f' Did you mean "{names[close[0]]}"?' if close else ""


def visible(text: str, keep: str = "") -> str:
    r"""Return a text with everything that is not printed as a letter, a sign or a space in the form \u001b.

    That is every control character, which a terminal would obey, the marks that change the direction of writing,
    and halves of characters, which cannot be written at all. The form is the one of JSON: in a JSON text it
    means the same as what it stands for.

    Parameters
    ----------
    text
        The text.
    keep
        Characters that stay, such as the line ends of a text of several lines.
    """
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() or letter in keep else _escaped(letter) for letter in text)


def _escaped(letter: str) -> str:
    digits = letter.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{digits[place : place + 4]}" for place in range(0, len(digits), 4))


def warn(message: str, category: type[ShoalWarning]) -> None:
    """Warn of something, naming the line outside shoal that led to it."""
    frame, level = sys._getframe(), 1
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame, level = frame.f_back, level + 1
    warnings.warn(visible(message), category, stacklevel=level)
