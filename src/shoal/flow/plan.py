"""A plan: everything that decides a release, so that the same plan gives the same bytes."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from copy import deepcopy
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    NonNegativeInt,
    ValidationError,
    model_validator,
)

from shoal.describe import Kind, Role
from shoal.errors import PlanError
from shoal.flow.carry_out import carry_out, table_for
from shoal.flow.chain.whole_chain import MOST_STEPS, facts_of_chain, lost_in, protected_in_chain
from shoal.flow.drawn_by_key import new_key
from shoal.flow.masking import Masking
from shoal.flow.outcome import Divided, Input, Outcome, Output, ReportFile
from shoal.flow.plan_checks import refuse_misfits
from shoal.flow.plan_content import FILES, content_of, first_problem, text_of
from shoal.flow.request import DECIMALS, OPTIONS, OpenOptions, PlannedOptions, Request
from shoal.parameters.choices import as_text, build
from shoal.partition import METHODS
from shoal.recode.base import Recode
from shoal.recode.catalogue import build_recode
from shoal.replace import REPLACEMENTS, Replacement
from shoal.replace.family import DRAWN, GROUPED, Family
from shoal.write import refuse_unwritable, replacing

if TYPE_CHECKING:
    from shoal.flow.release import Release

__all__ = ["Plan"]

_NOT_PUBLIC = ("random_state", "device", "memory")  # parameters of a method


def _existing_method(written: dict[str, Any]) -> dict[str, Any]:
    build(written, METHODS, "method", k=2)
    return written


def _existing_replacement(written: dict[str, Any]) -> dict[str, Any]:
    build(written, REPLACEMENTS, "replace")
    return written


def _long(written: Any) -> Any:
    """Read "mean" as {"name": "mean"}."""
    return {"name": written} if isinstance(written, str) else written


_Method = Annotated[dict[str, Any], BeforeValidator(_long), AfterValidator(_existing_method)]
_Replacement = Annotated[dict[str, Any], BeforeValidator(_long), AfterValidator(_existing_replacement)]


class Plan(PlannedOptions):
    """Everything that decides a release.

    `release.plan` is the plan that made it. ``plan.to_toml("release.toml")`` writes it,
    ``Plan.from_toml("release.toml")`` reads it, ``plan.run()`` makes the release again.

    Attributes
    ----------
    blocks
        The protected columns; those of a block are grouped together.
    kinds, roles
        What every column is and is for, where that was said or decided.
    method, replace
        The method that makes groups, and the replacement of every column that gets new values.
    steps
        How many steps a search made, by block and stratum, to be made again.
    categories
        The columns of categories that keep their values: "suppress" (cells made missing) or "within" (groups stay
        within them).
    confidential
        The columns that synthetic replacements rewrite; the others stay.
    scenarios
        Columns that an intruder may know, by name, for the measures alone; "*" is everything released.
    decimals
        To how many decimals columns are rounded.
    seed
        What random choices start from.
    key
        What the order of written rows and new ids of units follow from: drawn from the system, never from the seed,
        which can be guessed.
    divided
        How a cluster divided the file; None where one machine protected the whole.
    input, output, report
        The file the plan was made from, the release and the report that were written, with their fingerprints.
    outcome
        What carrying out the plan did; None before.
    versions
        The versions of Python and of the packages that can change the digits of a release.
    asked
        What was asked for where the plan holds what was decided of it; the other options it holds as they were asked
        for.
    before
        The earlier steps of a chain, the oldest first; each starts from what the one before it released.
    """

    blocks: list[list[str]] = Field(min_length=1)
    kinds: dict[str, Kind]
    roles: dict[str, Role] = Field(default_factory=dict)
    method: _Method
    steps: list[list[NonNegativeInt]] = Field(default_factory=list)
    replace: dict[str, _Replacement] = Field(default_factory=dict)  # none where all keep their values
    categories: dict[str, Literal["suppress", "within"]] = Field(default_factory=dict)  # not in `replace`
    confidential: list[str] = Field(default_factory=list)
    scenarios: dict[str, list[str]] = Field(default_factory=dict)
    decimals: dict[str, Annotated[int, Field(ge=DECIMALS.low, le=DECIMALS.high)]] = Field(default_factory=dict)
    seed: int = Field(ge=0)
    key: str = Field(default_factory=new_key, pattern="^[0-9a-f]{32}$")
    divided: Divided | None = None
    input: Input | None = None
    output: Output | None = None
    report: ReportFile | None = None
    outcome: Outcome | None = None
    versions: dict[str, str] = Field(default_factory=dict)
    asked: OpenOptions | None = None  # not in plans of before, nor in those by hand
    before: list[Plan] = Field(default_factory=list, max_length=MOST_STEPS)

    @model_validator(mode="after")
    def _parts_fit_together(self) -> Self:
        refuse_misfits(self)
        return self

    @cached_property
    def masking(self) -> Masking:
        """The method and the replacement that all columns share, as objects."""
        first = next(iter(self.replace.values()), None)  # none where all columns keep their values
        shared = first if all(written == first for written in self.replace.values()) else None
        return Masking(self.method, shared, self.k)

    @cached_property
    def replacements(self) -> Mapping[str, Replacement]:
        """The replacement of every column, as objects."""
        built: dict[str, Replacement] = {}  # columns that share a choice share the object
        for written in self.replace.values():
            text = as_text(written)
            if text not in built:
                built[text] = build(written, REPLACEMENTS, "replace")
        return {name: built[as_text(written)] for name, written in self.replace.items()}

    @cached_property
    def column_recodes(self) -> Mapping[str, list[Recode]]:
        """The recodes of every column that has some, as objects."""
        return {name: [build_recode(one) for one in written] for name, written in self.recodes.items()}

    @cached_property
    def family(self) -> Family:
        """Where released values come from, and with that what is promised of them."""
        return next((one.family for one in self.replacements.values() if one.family.no_k), GROUPED)

    @property
    def shown_as(self) -> str:
        """Which of the families of methods the release is shown with."""
        own = [one.shown_as for one in self.replacements.values() if not one.family.makes_groups]
        return next(iter(own), self.masking.shown_as)

    @cached_property
    def draws_per_variable(self) -> bool:
        """Whether every variable of a record is drawn for itself."""
        return any(getattr(one, "per_variable", False) for one in self.replacements.values())

    @cached_property
    def centres_keep_rules(self) -> bool:
        """Whether all rules are sums and bounds that drawn centres keep, whether or not the file does."""
        changed = [rule for rule in self.edits if set(rule.variables).intersection(self.columns)]
        return self.family is DRAWN and all(rule.is_linear for rule in changed)

    @property
    def rewritten(self) -> list[str]:
        """The columns that get new values: the confidential ones of synthetic data, else all that are protected.

        Categories that keep their values are not among them.
        """
        if not self.family.makes_groups:
            return [name for name in self.replace if self.replacements[name].changes(name)]
        return self.confidential if self.family.rewrites else [name for name in self.columns if name in self.replace]

    @property
    def protected(self) -> list[str]:
        """The columns that get new values, and the categories that keep theirs."""
        return [*self.rewritten, *self.categories]

    @cached_property
    def grouped_blocks(self) -> list[list[str]]:
        """The blocks without the categories that keep their values; some may be empty."""
        return [[name for name in block if name not in self.categories] for block in self.blocks]

    def unchanged(self, released: Iterable[str]) -> list[str]:
        """Return those of the released columns that get no new values and are no weight, stratum or unit."""
        own = {*protected_in_chain(self), *self.strata, self.weights, self.unit}
        return [name for name in released if name not in own]

    def grouped_by(self, block: Iterable[str]) -> list[str]:
        """Return the columns of a block that groups are made by: not categories that are rewritten inside groups.

        Groups would be alike in those, and have nothing else to deal. Where there is nothing else, it is all columns.
        """
        dealt = [name for name in self.confidential if self.family.rewrites and self.kinds[name] != "continuous"]
        return [name for name in block if name not in dealt] or list(block)

    @cached_property
    def columns(self) -> list[str]:
        """The protected columns, block after block."""
        return [name for block in self.blocks for name in block]

    @property
    def facts(self) -> dict[str, Any]:
        """What an intruder knows once the method is published, as `shoal.evaluate` takes it."""
        if self.before:
            return facts_of_chain(self)
        apart = {"weights": self.weights, "unit": self.unit, "scenarios": self.scenarios, **lost_in(self)}
        if not self.family.shows_groups:
            without_groups = self.replace[self.columns[0]]
            return {"columns": self.rewritten, "kinds": self.kinds, "replace": without_groups, **apart}
        if not self.replace:  # there are no groups but the combinations
            return {**apart, "columns": self.columns, "kinds": self.kinds, "k": self.k, "strata": self.strata or None}
        return {
            **apart,
            "columns": self.columns,
            "kinds": self.kinds,
            "method": self.method,
            "k": self.k,
            "blocks": [block for block in self.grouped_blocks if block],
            "replace": self.replace[self.columns[0]] if self.family is DRAWN else None,
            "strata": self.strata or None,
            "standardize": self.standardize,
            "weights": self.weights,
        }

    def public(self) -> dict[str, Any]:
        """Return what can be published of the plan: no seed, no key, no file, no count of records."""
        kept = self.model_dump(include={name for name, option in OPTIONS.items() if option.published})
        kept["method"] = {key: value for key, value in kept["method"].items() if key not in _NOT_PUBLIC}
        kept["replace"] = {
            name: {key: value for key, value in written.items() if key not in REPLACEMENTS[written["name"]].unpublished}
            for name, written in kept["replace"].items()
        }
        if self.recodes:
            kept["recodes"] = {name: [one.public() for one in own] for name, own in self.column_recodes.items()}
        kept["roles"] = {name: role for name, role in self.roles.items() if name not in self.identifiers}
        if self.before:
            kept["before"] = [step.public() for step in self.before]
        return kept

    @property
    def request(self) -> Request | None:
        """What was asked for; None for a plan that does not say it."""
        if self.asked is None:
            return None
        planned = {name: getattr(self, name) for name in PlannedOptions.model_fields}
        return Request(**planned, **{name: getattr(self.asked, name) for name in OpenOptions.model_fields})

    @property
    def strata(self) -> list[str]:
        """The columns whose values no group may mix."""
        return [name for name, role in self.roles.items() if role == "stratum"]

    @property
    def weights(self) -> str | None:
        """The column of sampling weights."""
        return next((name for name, role in self.roles.items() if role == "weight"), None)

    @property
    def unit(self) -> str | None:
        """The column that says which unit (household, firm) a record belongs to."""
        return next((name for name, role in self.roles.items() if role == "unit"), None)

    @property
    def identifiers(self) -> list[str]:
        """The columns that are dropped from the release."""
        dropped = ("identifier", "unit") if self.drop_unit else ("identifier",)
        return [name for name, role in self.roles.items() if role in dropped]

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """Return a copy with some parts changed, checked as a new plan is."""
        parts = {name: getattr(self, name) for name in type(self).model_fields}
        return self.settled(**{**(deepcopy(parts) if deep else parts), **(update or {})})

    def run(self, data: Any = None) -> Release:
        """Carry out the plan, on its own input or on `data`.

        Without `data` the plan's input file is read, and refused if it has changed since.
        """
        return carry_out(self, table_for(self, data))

    def to_toml(self, path: str | os.PathLike[str]) -> None:
        """Write the plan to `path`, which ends in .toml, for its owner only; files it names are relative to it."""
        refuse_unwritable(path, ".toml")
        with replacing(path, owner_only=True) as temporary:
            temporary.write_text(self.as_toml(path), encoding="utf-8")

    def as_toml(self, path: str | os.PathLike[str]) -> str:
        """Return the plan as it is written to `path`."""
        return text_of(self.model_dump(exclude_none=True), Path(path))

    @classmethod
    def from_toml(cls, path: str | os.PathLike[str]) -> Self:
        """Read a plan; unknown keys and values out of bounds are errors."""
        source = Path(path)
        content = content_of(path)
        for section in FILES:
            named = content.get(section)
            if isinstance(named, dict) and isinstance(named.get("path"), str) and "\0" not in named["path"]:
                named["path"] = str((source.parent / named["path"]).resolve())
        try:
            return cls.model_validate(content)
        except ValidationError as error:
            raise PlanError(f'The plan "{path}" cannot be used: {first_problem(error, cls)}', path=str(path)) from None
