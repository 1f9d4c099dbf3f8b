"""The replace step: groups or memberships in, new values out.

The names are in `__init__.pyi` and are imported when first used.
"""

from shoal.deferred import defer_names

__all__ = defer_names(__name__)
