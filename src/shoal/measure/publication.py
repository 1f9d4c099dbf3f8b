"""How a public report may give a measure."""

from __future__ import annotations

from enum import Enum

__all__ = ["Publication"]


class Publication(Enum):
    """How a public report, which must not reveal anything about fewer than k records, may give a measure.

    Every published value is rounded, a share of records or cells (`About.counts`) is given as a bound where it is
    nearer than k records to none or to all, and a number of records below k is left out. What else has to be done
    depends on the measure. A measure that does not say (None instead of one of these) is not published.

    Attributes
    ----------
    AS_MEASURED
        Nothing else: it is one value of the whole file, or a share.
    OVER_VARIABLES
        A mean over the numeric variables, from which the value of one follows if those of the others are known. It
        is measured again without the variables that have few values.
    OVER_PAIRS
        The same over pairs of variables. It is left out if fewer than k records are without a missing value.
    FROM_PUBLISHED
        Computed from other measures, or from shares that are published too. It is computed again from what is
        published of these (`FileMeasure.from_published`); otherwise the two together would reveal the exact shares.
    NEVER
        Not at all: together with other published values it would reveal single records.
    """

    AS_MEASURED = "as measured"
    OVER_VARIABLES = "over variables"
    OVER_PAIRS = "over pairs"
    FROM_PUBLISHED = "from published"
    NEVER = "never"
