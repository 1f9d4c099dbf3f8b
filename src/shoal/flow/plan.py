"""A plan: everything that decides a release, so that the same plan gives the same bytes."""

from __future__ import annotations

import os
import platform
import tomllib
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

import tomli_w
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    NonNegativeInt,
    ValidationError,
    model_validator,
)

from shoal.describe import Kind, Role
from shoal.edits import parse_rules
from shoal.errors import ColumnError, MethodError, ParameterError, PlanError, RuleError, ShoalError, nearest_name_hint
from shoal.flow.synthetic_choice import refuse_other_names
from shoal.parameters.choices import build
from shoal.partition import METHODS, SOFT_METHODS
from shoal.read import replacing
from shoal.replace import REPLACEMENTS, SYNTHETIC

if TYPE_CHECKING:
    from shoal.flow.release import Release

__all__ = ["Input", "Outcome", "Output", "Plan", "installed_versions"]

_HEADER = (
    "# A plan of shoal: run again on the same input, it gives the same release, byte for byte.\n"
    "# Keep it as safe as the input: whoever has the seed can redraw what was drawn at random.\n\n"
)


def _known_method(spelled: dict[str, Any]) -> dict[str, Any]:
    build(spelled, METHODS, "method", k=2)
    return spelled


def _known_replacement(spelled: dict[str, Any]) -> dict[str, Any]:
    build(spelled, REPLACEMENTS, "replace")
    return spelled


def _long(choice: Any) -> Any:
    """Read "mean" as {"name": "mean"}."""
    return {"name": choice} if isinstance(choice, str) else choice


def _short(choice: dict[str, Any]) -> Any:
    return choice["name"] if set(choice) == {"name"} else choice


_Method = Annotated[dict[str, Any], BeforeValidator(_long), AfterValidator(_known_method)]
_Replacement = Annotated[dict[str, Any], BeforeValidator(_long), AfterValidator(_known_replacement)]


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Reading(_Section):
    """What had to be said about the input file to read it."""

    delimiter: str | None = None
    decimal: str | None = None
    encoding: str | None = None
    sheet: str | int | None = None


class Input(_Section):
    """The table the plan was made for."""

    path: str | None = None
    sha256: str
    records: int
    reading: Reading = Field(default_factory=lambda: Reading())


class Output(_Section):
    """Where the release was written, and whether its rows were shuffled."""

    path: str
    shuffle: bool = False


class Outcome(_Section):
    """What carrying out the plan did, beyond what it was told."""

    groups: list[int]  # per block
    smallest_group: int
    largest_group: int
    smallest_support: int  # the fewest records behind any released value
    gower_blocks: list[int] = Field(default_factory=list)  # blocks with a nominal or ordinal variable
    became_float: list[str] = Field(default_factory=list)
    constant: list[str] = Field(default_factory=list)  # left out of distances
    joined: dict[str, int] = Field(default_factory=dict)  # per column, groups joined to a neighbour to reach k values
    notes: list[str] = Field(default_factory=list)  # what a reader should know
    empty_records: int = 0  # nothing observed in some block


_PUBLIC = {"k", "blocks", "kinds", "method", "replace", "confidential", "edits", "repair", "missing", "standardize"}


class Plan(_Section):
    """Everything that decides a release.

    `release.plan` is the plan that made it. ``plan.to_toml("release.toml")`` writes it,
    ``Plan.from_toml("release.toml")`` reads it, ``plan.run()`` makes the release again.
    """

    k: int = Field(ge=2)
    blocks: list[list[str]] = Field(min_length=1)
    kinds: dict[str, Kind]
    roles: dict[str, Role] = Field(default_factory=dict)
    method: _Method
    # Of a search, per block and stratum: made before, to be made again.
    steps: list[list[NonNegativeInt]] = Field(default_factory=list)
    replace: dict[str, _Replacement]  # per column
    confidential: list[str] = Field(default_factory=list)  # what synthetic replacements rewrite; the rest stays
    edits: list[str] = Field(default_factory=list)
    repair: bool = False  # whether representatives are moved onto linear rules that the file breaks
    missing: Literal["error", "keep"] = "error"
    standardize: bool = True
    seed: int = Field(ge=0)
    input: Input | None = None
    output: Output | None = None
    outcome: Outcome | None = None
    versions: dict[str, str] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _every_column_is_settled(self) -> Self:
        for section in (self.kinds, self.replace):
            astray = set(section).symmetric_difference(self.columns)
            if astray:
                raise ValueError(f'column "{min(astray)}" must be in blocks, kinds and replace, or in none of them')
        for name, choice in self.replace.items():
            if self.kinds[name] not in build(choice, REPLACEMENTS, "replace").kinds:
                raise ValueError(f'replace "{choice["name"]}" does not serve "{name}", which is {self.kinds[name]}')
        self._synthetic_fits()
        soft = self.method["name"] in SOFT_METHODS
        draws = [choice for choice in self.replace.values() if choice["name"] == "membership-draw"]
        if (soft and any(choice != self.replace[self.columns[0]] for choice in self.replace.values())) or (
            len(draws) != soft * len(self.replace)
        ):
            raise ValueError(
                "replace must be the same membership-draw in every column of a fuzzy method, and of no other"
            )
        for choice in draws:
            fewest = build(choice, REPLACEMENTS, "replace").fewest(self.k)
            if 0 < fewest < self.k:
                raise ParameterError(f"at_least={fewest} is below k={self.k}. Leave it out, or say None and be warned.")
        if self.edits:
            self._rules_fit(soft)
        for block in self.blocks:
            medoids = [self.replace[name]["name"] == "medoid" for name in block]
            if any(medoids) and not all(medoids):
                raise ParameterError(
                    f'replace "medoid" is for all columns of a block together, here {", ".join(block)}.'
                )
        if self.steps and not hasattr(build(self.method, METHODS, "method", k=2), "steps"):
            raise ValueError(f'steps: method "{self.method["name"]}" does not search in steps')
        return self

    @property
    def is_synthetic(self) -> bool:
        """Whether the confidential variables are rewritten, and the others stay."""
        return any(choice["name"] in SYNTHETIC for choice in self.replace.values())

    def _synthetic_fits(self) -> None:
        """Raise ParameterError unless all columns share one synthetic replacement and some of them are confidential."""
        if not self.is_synthetic:
            if self.confidential:
                raise ParameterError(f"confidential is for replace {', '.join(SYNTHETIC)}; leave it out otherwise.")
            return
        name = next(choice["name"] for choice in self.replace.values() if choice["name"] in SYNTHETIC)
        if any(choice != self.replace[self.columns[0]] for choice in self.replace.values()):
            raise ParameterError(f'replace "{name}" is for all columns together, not for one of them.')
        if not self.confidential:
            raise ParameterError(f'replace "{name}" rewrites the confidential variables: name them in confidential.')
        refuse_other_names(self.replace[self.columns[0]], self.confidential)
        for column in self.confidential:
            if column not in self.columns:
                hint = nearest_name_hint(column, self.columns)
                raise ColumnError(f'confidential names "{column}", which is not among the columns.{hint}')
        with_role = {column for column in self.columns if self.roles.get(column) == "confidential"}
        for column in self.columns:
            if with_role and (column in with_role) != (column in self.confidential):
                raise ColumnError(
                    f'confidential and the role confidential differ: "{column}" is in only one. Use one of them.'
                )
            if self.confidential.count(column) > 1:
                raise ColumnError(f'confidential names "{column}" more than once.')
        for block in self.blocks:
            if not set(block).intersection(self.confidential):
                raise ParameterError(f"The block {', '.join(block)} has no confidential variable. Leave it out.")
        if self.method["name"] in SOFT_METHODS:
            raise MethodError(f'replace "{name}" needs groups: use "mdav" or another method that makes some.')

    def _rules_fit(self, soft: bool) -> None:
        """Raise RuleError if a rule cannot be kept by the method that was chosen."""
        rules = parse_rules(self.edits)
        if self.is_synthetic:
            raise MethodError(
                f'replace "{self.replace[self.columns[0]]["name"]}" promises no rules. Leave edits out, or leave '
                "replace out and shoal chooses one that keeps them."
            )
        if not soft:
            return
        if any(choice.get("per_variable") for choice in self.replace.values()):
            raise RuleError("Rules between variables do not hold where each is drawn for itself (per_variable).")
        for rule in rules:
            if not set(rule.variables).intersection(self.columns):
                continue  # nothing of it changes
            if not rule.is_linear:
                raise RuleError(
                    f'The method "{self.method["name"]}" keeps sums and bounds, not the rule "{rule.shown}". Use the '
                    'method "mdav", or leave the rule out.'
                )
            named = set(rule.variables)
            for name in sorted(named.difference(self.columns)):
                hint = nearest_name_hint(name, self.columns)
                raise RuleError(f'The rule "{rule.shown}" has "{name}" in it, which is not protected.{hint}')
            if not any(named <= set(block) for block in self.blocks):
                raise RuleError(f'The rule "{rule.shown}" has columns of several blocks. Put them into one block.')

    @property
    def columns(self) -> list[str]:
        """The protected columns, block after block."""
        return [name for block in self.blocks for name in block]

    @property
    def facts(self) -> dict[str, Any]:
        """What an intruder is told when the method is published, and `shoal.evaluate` needs to play one."""
        if self.is_synthetic:  # nothing is told of groups that nobody sees
            return {"columns": self.confidential, "kinds": self.kinds, "replace": self.replace[self.columns[0]]}
        return {
            "columns": self.columns,
            "kinds": self.kinds,
            "method": self.method,
            "k": self.k,
            "blocks": self.blocks,
            "replace": self.replace[self.columns[0]] if self.method["name"] in SOFT_METHODS else None,
            "strata": self.strata or None,
            "standardize": self.standardize,
        }

    def public(self) -> dict[str, Any]:
        """Return what can be published of the plan: no seed, no file, no count of records."""
        kept = self.model_dump(include=_PUBLIC)
        secret = ("random_state", "device", "memory")
        kept["method"] = {key: value for key, value in kept["method"].items() if key not in secret}
        kept["roles"] = {name: role for name, role in self.roles.items() if role != "identifier"}
        return kept

    @property
    def strata(self) -> list[str]:
        """The columns whose values no group may mix."""
        return [name for name, role in self.roles.items() if role == "stratum"]

    @property
    def weights(self) -> str | None:
        """The column of sampling weights."""
        return next((name for name, role in self.roles.items() if role == "weight"), None)

    @property
    def identifiers(self) -> list[str]:
        """The columns that are dropped from the release."""
        return [name for name, role in self.roles.items() if role == "identifier"]

    @classmethod
    def settled(cls, **parts: Any) -> Self:
        """Return a plan of parts that were asked for; what does not fit together is the error it is, in one line."""
        try:
            return cls(**parts)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            problem = first.get("ctx", {}).get("error")
            if isinstance(problem, ShoalError):
                raise problem from None
            message = _first_problem(error, cls)
            raise ParameterError(message[0].upper() + message[1:]) from None

    def run(self, data: Any = None) -> Release:
        """Carry out the plan, on its own input or on `data`.

        Without `data` the plan's input file is read, and refused if it has changed since.
        """
        from shoal.flow.carry_out import carry_out, table_for

        return carry_out(self, table_for(self, data))

    def to_toml(self, path: str | os.PathLike[str]) -> None:
        """Write the plan to `path`; files it names are written relative to it."""
        target = Path(path)
        content = self.model_dump(exclude_none=True)
        content["replace"] = {name: _short(choice) for name, choice in content["replace"].items()}
        for section in ("input", "output"):
            if "path" in content.get(section, {}):
                content[section]["path"] = _relative(content[section]["path"], target)
        with replacing(target) as temporary:
            temporary.write_text(_HEADER + tomli_w.dumps(_without_empty(content)), encoding="utf-8")

    @classmethod
    def from_toml(cls, path: str | os.PathLike[str]) -> Self:
        """Read a plan; unknown keys and values out of bounds are errors."""
        source = Path(path)
        try:
            content = tomllib.loads(source.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError) as error:
            raise PlanError(
                f'The plan "{path}" cannot be read: {getattr(error, "strerror", None) or "it is not text"}.'
            ) from None
        except RecursionError:
            raise PlanError(f'The plan "{path}" cannot be read: it is nested too deeply.') from None
        except tomllib.TOMLDecodeError as error:
            raise PlanError(f'The plan "{path}" is not TOML: {error}.') from None
        for section in ("input", "output"):
            named = content.get(section)
            if isinstance(named, dict) and isinstance(named.get("path"), str) and "\0" not in named["path"]:
                named["path"] = str((source.parent / named["path"]).resolve())
        try:
            return cls.model_validate(content)
        except ValidationError as error:
            raise PlanError(f'The plan "{path}" cannot be used: {_first_problem(error, cls)}') from None


def installed_versions() -> dict[str, str]:
    """Return the versions that have a say in the digits of a release."""
    parts = ("shoal", "numpy", "numba", "scikit-learn", "narwhals", "pandas", "pyarrow")
    return {"python": platform.python_version()} | {part: version(part) for part in parts}


def _without_empty(content: dict[str, Any]) -> dict[str, Any]:
    """Leave out what is empty anyway, so that a plan is short to read."""
    kept = {key: _without_empty(value) if isinstance(value, dict) else value for key, value in content.items()}
    return {key: value for key, value in kept.items() if value not in ({}, [])}


def _relative(path: str, plan: Path) -> str:
    try:
        return Path(os.path.relpath(path, plan.resolve().parent)).as_posix()
    except ValueError:  # another drive
        return path


def _first_problem(error: ValidationError, model: type[BaseModel]) -> str:
    first = error.errors(include_url=False, include_input=False)[0]
    where = ".".join(str(part) for part in first["loc"])
    if first["type"] == "extra_forbidden":
        return f'there is no key "{where}".{nearest_name_hint(where, model.model_fields)}'
    if first["type"] == "missing":
        return f'the key "{where}" is missing.'
    message = str(first["msg"]).removeprefix("Value error, ").rstrip(".")
    return f"{where}: {message}." if where else f"{message}."
