"""Edits: rules that hold in the data, before and after masking.

The names are in `__init__.pyi` and are imported when first used.
"""

from shoal.deferred import defer_names

__all__ = defer_names(__name__)
