"""For tests of something else: columns that are released unchanged on purpose, which is warned of."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import shoal
from shoal.errors import DisclosureWarning

__all__ = ["not_protected", "protect_part", "run_part"]


@contextmanager
def not_protected() -> Iterator[None]:
    """Expect the warning that names the columns released unchanged; errors and other warnings go on their way."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    named = [one for one in caught if one.category is DisclosureWarning and "NOT PROTECTED (" in str(one.message)]
    assert named, "nothing was said to be released unchanged"
    for one in caught:
        if one not in named:
            warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)


def protect_part(data: Any, k: int, **options: Any) -> shoal.Release:
    """Protect some columns of a table and release others unchanged, as is expected to be said."""
    with not_protected():
        return shoal.protect(data, k, **options)


def run_part(plan: shoal.Plan, data: Any = None) -> shoal.Release:
    """Run a plan that protects some columns and releases others unchanged, as is expected to be said."""
    with not_protected():
        return plan.run(data)
