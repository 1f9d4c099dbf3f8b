"""Fuzzy partitions: every record belongs to every cluster to a degree.

The names are in `__init__.pyi` and are imported when first used. `alternating`, the loop under all of them, needs only
an array library and array-api-compat, so that it also runs where numba and the dataframe libraries are not installed.
"""

from shoal.deferred import defer_names

__all__ = defer_names(__name__)
