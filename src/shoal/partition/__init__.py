"""Partition: put the records into groups of at least k.

The names are in `__init__.pyi` and are imported when first used, so that one algorithm can be used without what the
others need.
"""

from shoal.deferred import defer_names

__all__ = defer_names(__name__)
