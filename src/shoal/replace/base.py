"""What every replacement declares about itself, so that no other code asks for its name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from shoal.parameters.limits import Limit
from shoal.parameters.searched import Searched
from shoal.replace.catalogue import REPLACEMENTS
from shoal.replace.family import GROUPED, Family

__all__ = ["Replacement"]


class Replacement:
    """Base of everything that gives new values to the records of groups.

    Attributes
    ----------
    name
        What a plan calls it.
    summary
        What it does, in one sentence without a full stop; the catalogue has it.
    reference
        The paper it comes from; empty if there is none.
    limits
        What its parameters may be.
    kinds
        The kinds of variable it serves.
    scope
        What it is chosen for: each "column", a "block" of columns together, or all columns of the "file" together.
    family
        Where the new values come from, and with that what is promised.
    supports_weights, supports_missing
        Whether sampling weights count in the new values, and whether a variable may have missing values.
    keeps_rules
        Which edit rules can be kept: "all", those that "averages" of records keep, or those that can be kept in each of
        the "records"; "checked": none is kept on purpose, and a release that breaks one is refused.
    leaves_range
        Whether new values can be below the lowest or above the highest original one.
    default_method
        How records are grouped for it where no method was chosen.
    shown_as
        What kind of release it makes, if that does not follow from the method.
    searched
        The parameters that are worth searching.
    search_defaults
        Parameters that a search sets where the user did not.
    unpublished
        The parameters that public reports leave out, because knowing them helps an intruder.
    """

    name: ClassVar[str]
    summary: ClassVar[str]
    reference: ClassVar[str] = ""
    limits: ClassVar[Mapping[str, Limit]] = {}
    kinds: ClassVar[frozenset[str]] = frozenset({"continuous"})
    scope: ClassVar[Literal["column", "block", "file"]] = "column"
    family: ClassVar[Family] = GROUPED
    supports_weights: ClassVar[bool] = True
    supports_missing: ClassVar[bool] = True
    keeps_rules: ClassVar[Literal["all", "averages", "records", "checked"]] = "all"
    leaves_range: ClassVar[bool] = False
    default_method: ClassVar[str] = "mdav"
    shown_as: ClassVar[str] = ""
    searched: ClassVar[tuple[Searched, ...]] = ()
    search_defaults: ClassVar[Mapping[str, Any]] = {}
    unpublished: ClassVar[frozenset[str]] = frozenset()

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls.summary = REPLACEMENTS.summaries.get(getattr(cls, "name", ""), "")

    def changes(self, name: str) -> bool:
        """Whether a column with this replacement gets new values; one that does not says what others go with."""
        return True
