"""The options of a saved job: whoever wrote it, they have the types and name the columns that the pages rely on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from shoal.errors import ParameterError, ShoalError, nearest_name_hint
from shoal.flow.masking import written_method
from shoal.flow.request import OPTIONS, Request
from shoal.parameters.choices import as_text, build, written_form
from shoal.partition import METHODS
from shoal.read import Table
from shoal.recode.catalogue import build_recode
from shoal.replace import REPLACEMENTS

__all__ = ["checked_options", "recode_texts"]


def checked_options(k: Any, options: Mapping[str, Any], table: Table) -> dict[str, Any]:
    """Return the options of a job for a table, in the forms that the pages use; ParameterError in one line otherwise.

    What does not fit together is not refused: work that is not done yet can be saved, and the step Protect says it.
    """
    _refuse_k(k, len(table))
    request = Request.settled(k=2, **options)  # k can be left open
    for name, option in OPTIONS.items():
        value = getattr(request, name)
        for column in [] if value is None else option.form.columns(value):
            if column not in table:
                hint = nearest_name_hint(column, table.names)
                raise ParameterError(f'there is no column "{column}" in the file.{hint}')
    if request.method is not None:
        build(written_method(request.method), METHODS, "method", k=2)
    replace = [] if request.replace is None else [request.replace]
    if isinstance(request.replace, Mapping) and "name" not in request.replace:
        replace = [*request.replace.values()]
    for choice in replace:
        build(written_form(choice, REPLACEMENTS, "replace"), REPLACEMENTS, "replace")
    for rule in request.edits:
        rule.refuse_unknown(table.names)
    checked = {name: value for name, value in request.model_dump(exclude={"k"}).items() if value not in ({}, [])}
    return checked | ({"recodes": recode_texts(request.recodes)} if request.recodes else {})


def recode_texts(recodes: Mapping[str, Sequence[Mapping[str, Any]]]) -> dict[str, Any]:
    """Return recodes as they are typed, where a text can say them: one text a column, or a list of them."""
    texts = {name: [_recode_text(one) for one in written] for name, written in recodes.items()}
    return {name: several[0] if len(several) == 1 else several for name, several in texts.items()}


def _recode_text(written: Mapping[str, Any]) -> Any:
    text = as_text(written)
    try:
        same = build_recode(text).written() == written
    except ShoalError:
        same = False
    return text if same else dict(written)


def _refuse_k(k: Any, records: int) -> None:
    if k is None:
        return
    if isinstance(k, bool) or not isinstance(k, int) or k < 2:
        raise ParameterError("k must be a whole number from 2.")
    if k > records:
        raise ParameterError(f"k is larger than the file, which has {records:,} records.")
