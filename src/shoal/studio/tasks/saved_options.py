"""The options of a saved job: whoever wrote it, they have the types and name the columns that the pages rely on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, ValidationError

from shoal.describe import Kind, Role
from shoal.edits import read_edits
from shoal.errors import ParameterError, ShoalError, nearest_name_hint
from shoal.flow.masking import written_method
from shoal.flow.outcome import PlanSection
from shoal.flow.rules.decimals import DECIMALS
from shoal.parameters.choices import as_text, build, written_form
from shoal.partition import METHODS
from shoal.read import Table
from shoal.recode.catalogue import build_recode, written_recodes
from shoal.recode.missing_codes import written_missing_codes
from shoal.replace import REPLACEMENTS

__all__ = ["checked_options", "recode_texts"]

_Names = Annotated[list[str], BeforeValidator(lambda names: [names] if isinstance(names, str) else names)]
_Decimals = Annotated[int, Field(ge=DECIMALS.low, le=DECIMALS.high)]
_Way = Literal["group", "suppress", "within"]


class _SavedOptions(PlanSection):
    """The options of `shoal.protect` as a job that the studio opens has them; None stands for those it leaves out."""

    columns: _Names | None = None
    roles: dict[str, Role] | None = None
    method: str | dict[str, Any] | None = None
    replace: str | dict[str, Any] | None = None
    blocks: Annotated[int, Field(ge=1)] | Literal["rules"] | list[list[str]] | None = None
    kinds: dict[str, Kind] | None = None
    strata: _Names | None = None
    weights: str | None = None
    unit: str | None = None
    drop_unit: bool | None = None
    as_is: _Names | None = None
    recodes: dict[str, Any] | None = None
    missing_codes: dict[str, Any] | None = None
    confidential: _Names | None = None
    edits: list[str] | None = None
    repair: bool | None = None
    missing: Literal["error", "keep", "fill"] | None = None
    diversity: Annotated[int, Field(ge=2)] | None = None
    closeness: Annotated[float, Field(ge=0, le=1)] | None = None
    dominance: Annotated[float, Field(gt=0, le=100)] | None = None
    categories: _Way | dict[str, _Way] | None = None
    standardize: bool | None = None
    decimals: _Decimals | dict[str, _Decimals] | None = None
    bounds: bool | None = None
    seed: Annotated[int, Field(ge=0)] | None = None


def checked_options(k: Any, options: Mapping[str, Any], table: Table) -> dict[str, Any]:
    """Return the options of a job for a table, in the forms that the pages use; ParameterError in one line otherwise.

    What does not fit together is not refused: work that is not done yet can be saved, and the step Protect says it.
    """
    _refuse_k(k, len(table))
    try:
        checked = _SavedOptions.model_validate(dict(options)).model_dump(exclude_none=True)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"] if not _is_type(part))
        message = str(first["msg"]).removeprefix("Value error, ").rstrip(".")
        raise ParameterError(f"{where}: {message}.") from None
    for name in _named_columns(checked):
        if name not in table:
            raise ParameterError(f'there is no column "{name}" in the file.{nearest_name_hint(name, table.names)}')
    if "recodes" in checked:
        checked["recodes"] = recode_texts(written_recodes(checked["recodes"]))
    written_missing_codes(checked.get("missing_codes"))
    if "method" in checked:
        build(written_method(checked["method"]), METHODS, "method", k=2)
    for choice in _choices_in(checked.get("replace"), table):
        build(written_form(choice, REPLACEMENTS, "replace"), REPLACEMENTS, "replace")
    for rule in read_edits(checked["edits"]) if checked.get("edits") else []:
        rule.refuse_unknown(table.names)
    return checked


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


def _is_type(part: Any) -> bool:
    """Whether a part of the place of an error is one of several types that a value can have, not a key."""
    return isinstance(part, str) and (part in ("str", "int", "constrained-int") or "[" in part)


def _named_columns(options: Mapping[str, Any]) -> Iterator[str]:
    """Return every name of a column in the options."""
    for option in ("columns", "strata", "as_is", "confidential"):
        yield from options.get(option, ())
    for option in ("weights", "unit"):
        if option in options:
            yield options[option]
    for option in ("roles", "kinds", "recodes", "missing_codes", "categories", "decimals", "replace"):
        by_column = options.get(option)
        if isinstance(by_column, Mapping) and not (option == "replace" and "name" in by_column):
            yield from (name for name in by_column if not (option == "missing_codes" and name == "*"))
    blocks = options.get("blocks")
    for block in blocks if isinstance(blocks, list) else ():
        yield from block


def _choices_in(replace: Any, table: Table) -> list[Any]:
    if replace is None:
        return []
    by_column = isinstance(replace, Mapping) and "name" not in replace
    return list(replace.values()) if by_column else [replace]
