"""shoal protects tables of personal or business records so that they can be shared, and measures what that costs.

A record is safe in a shoal of at least k.

>>> release = shoal.protect("census.csv", k=5)
>>> release.data          # the protected table
>>> release.evaluate()    # information loss and disclosure risk

The modules are the steps of the flow: read, describe, (recode), (edits), partition, replace, measure, (report). Public
names are in `__init__.pyi` and are imported when first used, so that `import shoal` is quick.
"""

from shoal.deferred import defer_names

__version__ = "0.1.0"

__all__ = defer_names(__name__)
