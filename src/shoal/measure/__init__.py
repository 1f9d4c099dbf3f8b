"""Measure: the information loss (utility) and the disclosure risk of a masked file.

Measures of an original and a masked file share four parameters. `original` and `masked` are frames, arrays or paths,
with the same records in the same order; `columns` are those to compare, by default all that both files have; `kinds`
says which columns of numbers are codes, as in ``{"industry": "nominal"}``.

The names are in `__init__.pyi`, those of measures in `catalogue.py`; they are imported when first used.
"""

from shoal.deferred import defer_names
from shoal.measure.catalogue import MEASURES

__all__ = defer_names(__name__, MEASURES)
