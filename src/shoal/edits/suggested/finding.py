"""Find the rules that every record of a table keeps and that hardly hold by chance."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Any

from shoal.edits.checked_records import TableRecords
from shoal.edits.suggested.conditions import condition_suggestions
from shoal.edits.suggested.relations import (
    bound_suggestions,
    linear_relations,
    order_pairs,
    order_suggestions,
    product_suggestions,
)
from shoal.edits.suggested.suggestion import SuggestedRule, number_columns
from shoal.parameters.limits import Limit, Whole, check_limits
from shoal.read import as_table

__all__ = ["suggested_rules"]

_LIMITS: dict[str, Limit] = {"most": Whole(1)}


def suggested_rules(data: Any, *, most: int = 20) -> list[SuggestedRule]:
    """Return rules that every record of a table keeps, to choose those from that are meant.

    Found are columns that are the sum of others, equal to another, a simple multiple of another or the product of two;
    columns that never exceed another; amounts that are 0 wherever another is 0, in some categories or below some age;
    and the bounds 0, 1 and 100. At least twenty records speak for each rule, and orders and conditions are such that
    many records would break them if the columns had nothing to do with each other. What follows from other suggestions
    is left out. The least and greatest values observed are in no rule.

    Parameters
    ----------
    data
        A pandas, polars or Arrow table, a 2-D array, or the path of a file.
    most
        The greatest number of suggestions, sums first, bounds last.

    Returns
    -------
    list of SuggestedRule
        Each was checked on all records. The same table gives the same suggestions.

    Examples
    --------
    >>> from shoal.datasets import households
    >>> first = suggested_rules(households(), most=1)[0]
    >>> first.text, first.kind, first.records
    ('gross_income == tax + net_income', 'sum', 1000)
    >>> first.why
    'holds in all 1,000 records that have all three values'
    """
    check_limits(_LIMITS, {"most": most})
    columns = number_columns(TableRecords(as_table(data)))
    relations = list(linear_relations(columns))
    repeated = {list(relation.factors)[-1] for relation, one in relations if one.kind == "equal"}
    among = [name for name in columns.names if name not in repeated]
    known = [pair for relation, _ in relations for pair in relation.parts_below(columns.least)]
    pairs = order_pairs(columns, among, known)
    below = [(lower, upper) for lower, upper in [*known, *pairs] if columns.least[lower] >= 0]
    kinds: list[Iterable[SuggestedRule]] = [
        (suggestion for _, suggestion in relations),
        product_suggestions(columns, among),
        order_suggestions(columns, pairs),
        condition_suggestions(columns, among, below),
        bound_suggestions(columns, [name for name in among if name not in columns.codes]),
    ]
    return list(islice((suggestion for kind in kinds for suggestion in kind), most))
