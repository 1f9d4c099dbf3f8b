"""Every error and warning shoal raises.

::

    ShoalError                      catch this to catch them all
    ├── ParameterError              an argument that cannot be used (also a ValueError)
    │   ├── ColumnError             a column that is not there, or is there twice
    │   ├── RuleError               a rule that cannot be read, or asks for what cannot be
    │   └── PlanError               a plan that cannot be read or no longer fits its input
    ├── DataError                   a table that cannot be protected as it is (also a ValueError)
    │   ├── ReadError               a file that cannot be read
    │   ├── MissingValuesError      gaps where none were expected
    │   ├── TooFewRecordsError      fewer records than k, in the file, a stratum or a variable
    │   ├── MethodError             a method that cannot group such a table; another may
    │   └── NotApplicableError      a measure that has no meaning for these files
    └── WriteError                  a file that was not written; whatever stood there before still does

    ShoalWarning
    ├── IdentifierWarning           a column that is released looks like an identifier
    ├── DescriptionWarning          a variable is not what it was taken for: constant, left out, unprotected
    ├── DisclosureWarning           what was asked for lets through what k would not
    └── ConvergenceWarning          an iteration was stopped before it came to rest

A message is one line: what was wrong, what was given, what to do next. It never carries a value of the
confidential data; names of columns and strata, row numbers and counts are as far as it goes.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable

__all__ = [
    "ColumnError",
    "ConvergenceWarning",
    "DataError",
    "DescriptionWarning",
    "DisclosureWarning",
    "IdentifierWarning",
    "MethodError",
    "MissingValuesError",
    "NotApplicableError",
    "ParameterError",
    "PlanError",
    "ReadError",
    "RuleError",
    "ShoalError",
    "ShoalWarning",
    "TooFewRecordsError",
    "WriteError",
]


class ShoalError(Exception):
    """The base of every error shoal raises on purpose."""


class ParameterError(ShoalError, ValueError):
    """An argument cannot be used; the message says what would be accepted."""


class ColumnError(ParameterError):
    """A column does not exist, exists twice, or is asked to play two roles."""


class RuleError(ParameterError):
    """An edit rule cannot be read, or no centre can satisfy it together with the others."""


class PlanError(ParameterError):
    """A plan cannot be read, or no longer fits the input it was made for."""


class DataError(ShoalError, ValueError):
    """The table cannot be protected as it is."""


class ReadError(DataError):
    """A file cannot be read as a table."""


class MissingValuesError(DataError):
    """Values are missing and the caller did not say what to do about it."""


class TooFewRecordsError(DataError):
    """There are not k records to hide among."""


class MethodError(DataError):
    """The method cannot group such a table; another may."""


class NotApplicableError(DataError):
    """A measure has no meaning for these files; the message says what it needs."""


class WriteError(ShoalError, OSError):
    """A file was not written; whatever was at the target before is still there, whole."""


class ShoalWarning(UserWarning):
    """The base of every warning shoal gives."""


class IdentifierWarning(ShoalWarning):
    """A column that is about to be released looks like an identifier."""


class DescriptionWarning(ShoalWarning):
    """A variable is not what it was taken for, and what shoal did about it."""


class DisclosureWarning(ShoalWarning):
    """What was asked for releases more of a record than k allows; the message says how much."""


class ConvergenceWarning(ShoalWarning):
    """An iteration was stopped before it came to rest; its result is usable, but not the best it could reach."""


def nearest_name_hint(name: str, known: Iterable[str]) -> str:
    """Return " Did you mean ...?" for the known name closest to `name`, or an empty string."""
    names = {str(one).lower(): str(one) for one in known}
    close = difflib.get_close_matches(str(name).lower(), names, n=1)
    return f' Did you mean "{names[close[0]]}"?' if close else ""
