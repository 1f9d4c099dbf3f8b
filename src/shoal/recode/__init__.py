"""Recode: coarser key variables and suppressed cells, before anything is grouped.

The names are in `__init__.pyi` and are imported when first used.
"""

from shoal.deferred import defer_names

__all__ = defer_names(__name__)
