"""What can be asked of `shoal.protect`, declared once: an option is a field here, its argument, and the step for it.

`shoal.protect` names the same options as arguments. Everything else derives from the declarations: how an option is
typed on the command line, filled in on a page and written in a job, what a plan holds and what is said of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, field_serializer, model_serializer

from shoal.errors import ParameterError, RuleError, nearest_name_hint
from shoal.flow.outcome import DeclaredSection
from shoal.parameters.choices import as_text, short_form, written_form
from shoal.parameters.default import is_default
from shoal.parameters.limits import Above, Limit, Number, OneOf, OrNone, Text, TrueOrFalse, Whole, check_limits
from shoal.parameters.of_columns import (
    KINDS,
    ROLES,
    Blocks,
    ByColumn,
    Column,
    Kind,
    NamedColumns,
    OneOrByColumn,
    Role,
    read_names,
)
from shoal.parameters.option import Option, declared_options

if TYPE_CHECKING:
    from shoal.edits import Rule
    from shoal.read import Table
else:  # shoal.edits is slow to import, and the declarations are needed where nothing is protected
    Rule = Any

__all__ = ["DECIMALS", "OPTIONS", "OpenOptions", "PlannedOptions", "Request"]

DECIMALS = Whole(-12, 15)
Way = Literal["group", "suppress", "within"]


@dataclass(frozen=True)
class _Choice(Limit):
    """A method or a replacement: a name, a name with parameters, the same as a mapping, or an object."""

    what: Literal["method", "replace"]

    def accepts(self, value: Any) -> bool:
        return not isinstance(value, Mapping) or isinstance(value.get("name"), str)

    def bad_values(self) -> list[Any]:
        return [5, object()]

    def plain(self, value: Any, name: str) -> Any:
        if self.what == "method":
            from shoal.flow.masking import written_method
            from shoal.partition import METHODS

            return short_form(written_method(value), METHODS, self.what)
        from shoal.replace import REPLACEMENTS

        written = written_form(value, REPLACEMENTS, self.what)
        if isinstance(value, Mapping) and set(value) == {"name"}:
            return dict(value)  # a column may be called "name"
        return short_form(written, REPLACEMENTS, self.what)

    def shown(self, value: Any) -> str:
        return as_text(value) if isinstance(value, Mapping) else str(value)


class _Recodes(ByColumn):
    """Recodes of columns: one, or several that are made one after the other."""

    def bad_values(self) -> list[Any]:
        return [["age"], 5, {"age": []}]

    def plain(self, value: Any, name: str) -> Any:
        from shoal.recode.catalogue import written_recodes

        return written_recodes(value)


class _MissingCodes(ByColumn):
    """Values of columns that mean that there is none."""

    def bad_values(self) -> list[Any]:
        return [["age"], 5, {"age": []}, {"age": None}]

    def plain(self, value: Any, name: str) -> Any:
        from shoal.recode.missing_codes import written_missing_codes

        return written_missing_codes(value)


class _Codes(Text):
    """Values with commas between."""

    def read(self, texts: Sequence[str], called: str, columns: Sequence[str]) -> list[str]:
        return read_names(texts)


class _AskedRules(Limit):
    """Edit rules, as texts or as objects; a file of them is read before."""

    typed: ClassVar[Any] = Path

    def bad_values(self) -> list[Any]:
        return ["a file", 5]

    def plain(self, value: Any, name: str) -> list[Rule]:
        from shoal.edits import Rule, parse_rule

        if not isinstance(value, list | tuple):
            raise RuleError(f"{name} must be a list of rules; got {type(value).__name__}.")
        return [rule if isinstance(rule, Rule) else parse_rule(rule) for rule in value]


def _number_of_rules(rules: Sequence[Any]) -> str:
    return f"{len(rules):,} rule{'s' * (len(rules) != 1)} will hold in the release." if rules else ""


def _if_so(sentence: str) -> Callable[[Any], str]:
    return lambda value: sentence if value else ""


def _where_given(sentence: str) -> Callable[[Any], str]:
    return lambda value: "" if value is None else sentence.format(value)


class PlannedOptions(DeclaredSection):
    """The options that a plan holds as they were asked for."""

    k: Annotated[
        int,
        Option(limit=Whole(2), help="Fewest records that may share a released value, 2 or more."),
    ]
    recodes: Annotated[
        dict[str, list[dict[str, Any]]],
        Option(
            limit=_Recodes(Text(), "COLUMN=RECODE", '{"age": "bands:width=5"}', adds_up=True),
            flag="recode",
            help='COLUMN=RECODE: makes a column coarser before records are grouped, "age=bands:width=5,top=85", '
            '"rel=merge:other=[a,b],rare=20"; repeat for more, also of one column.',
            unset="none",
            published=False,  # but for what each says of itself
        ),
    ] = Field(default_factory=dict)
    missing_codes: Annotated[
        dict[str, list[int | float | str]],
        Option(
            limit=_MissingCodes(_Codes(), "COLUMN=VALUE,VALUE", '{"income": [-9]}', adds_up=True, every="*"),
            help='COLUMN=VALUE,VALUE: values that mean missing, "income=-9,99999"; "*" for all.',
            published=False,
        ),
    ] = Field(default_factory=dict)
    missing: Annotated[
        Literal["error", "keep", "fill"],
        Option(
            limit=OneOf(
                ("error", "keep", "fill"), labels=("refuse them", "keep them missing", "fill them by the group")
            ),
            help='"error" refuses missing values, "keep" leaves them where they are, "fill" gives them the value of '
            "their group.",
            unset="error",
            label="Missing values",
            says={
                "error": "Missing values are refused.",
                "keep": "Missing values stay missing, and records may be unique by them.",
                "fill": "Missing values get the value of their group.",
            }.__getitem__,
        ),
    ] = "error"
    drop_unit: Annotated[
        bool,
        Option(
            limit=TrueOrFalse(),
            help="Leave the column of units out of the release.",
            unset="it gets new ids",
            label="Leave out the column of units",
        ),
    ] = False
    edits: Annotated[
        list[Rule],
        Option(
            limit=_AskedRules(),
            help='Rules that hold in the release: a text file with one a line ("net + tax == gross"), or Schematron.',
            says=_number_of_rules,
            fact="rules",
        ),
    ] = Field(default_factory=list)
    repair: Annotated[
        bool,
        Option(
            limit=TrueOrFalse(),
            help="Repair linear rules that the file breaks, instead of refusing it.",
            label="Move values until linear rules hold, where the file breaks them",
            says=_if_so("Where the file breaks linear rules, values are moved until they hold."),
            fact="repair",
        ),
    ] = False
    diversity: Annotated[
        int | None,
        Option(
            limit=OrNone(Whole(2)),
            help="Different values of every confidential variable in a group, at least (l-diversity).",
            label="Diversity (l)",
            says=_where_given("Every group has at least {} values of each confidential variable."),
            of_groups=True,
            of_confidential=True,
        ),
    ] = None
    closeness: Annotated[
        float | None,
        Option(
            limit=OrNone(Number(0, 1)),
            help="How far the confidential variables of a group may be from the file's, from 0 to 1 (t-closeness).",
            label="Closeness (t)",
            says=_where_given("Confidential values of every group are within {:g} of the file's distribution."),
            of_groups=True,
            of_confidential=True,
            on_cluster=False,
        ),
    ] = None
    dominance: Annotated[
        float | None,
        Option(
            limit=OrNone(Above(0, high=100)),
            help="The largest share of a group's sum, in %, that one record may have; groups are joined.",
            label="Dominance (%)",
            says=_where_given("Groups are joined until no record is more than {:g} % of a sum."),
            of_groups=True,
        ),
    ] = None
    standardize: Annotated[
        bool,
        Option(
            limit=TrueOrFalse(),
            help="Take distances on standard scores.",
            unset="yes",
            label="Compare columns on the same scale",
            says=lambda value: (
                "Distances are taken between standard scores."
                if value
                else "Distances are taken on the values as they are: columns with large numbers count for more."
            ),
            fact="distances",
        ),
    ] = True
    bounds: Annotated[
        bool,
        Option(
            limit=TrueOrFalse(),
            help="Keep synthetic numbers in the range of the original, but for its ends.",
            label="Synthetic numbers stay in the range of the original",
            says=_if_so("Synthetic numbers stay between the means of the k lowest and of the k highest values."),
            fact="bounds",
        ),
    ] = False

    @field_serializer("edits")
    def _texts(self, edits: list[Rule]) -> list[str]:
        return [rule.text for rule in edits]


class OpenOptions(DeclaredSection):
    """The options that leave something open, which is decided before anything is masked: the plan holds both."""

    columns: Annotated[
        list[str] | None,
        Option(
            limit=OrNone(NamedColumns()),
            help="Columns to protect, separated by commas.",
            unset="all that have no other role",
        ),
    ] = None
    roles: Annotated[
        dict[str, Role] | None,
        Option(
            limit=OrNone(ByColumn(OneOf(ROLES), "COLUMN=ROLE", '{"id": "identifier"}')),
            flag="role",
            help=f"COLUMN=ROLE: {', '.join(ROLES)}.",
            published=False,  # identifiers are not named
        ),
    ] = None
    kinds: Annotated[
        dict[str, Kind] | None,
        Option(
            limit=OrNone(ByColumn(OneOf(KINDS), "COLUMN=KIND", '{"industry": "nominal"}')),
            flag="kind",
            help=f"COLUMN=KIND: {', '.join(KINDS)}.",
        ),
    ] = None
    method: Annotated[
        str | dict[str, Any] | None,
        Option(
            limit=OrNone(_Choice("method")),
            help='How records are grouped; with parameters, "mdav:variant=two-k".',
            unset="mdav",
        ),
    ] = None
    replace: Annotated[
        str | dict[str, Any] | None,
        Option(
            limit=OrNone(OneOrByColumn(_Choice("replace"), "COLUMN=NAME", '{"income": "median"}', separated=False)),
            help='What replaces the values of a group; with parameters, "order-statistic:q=0.25"; COLUMN=NAME for one '
            "column.",
            unset="mean",
            label="Replacement by column",
        ),
    ] = None
    blocks: Annotated[
        int | str | list[list[str]] | None,
        Option(
            limit=OrNone(Blocks()),
            help="Columns in a block (a number), or one block's columns; repeat for more blocks; or rules, for the "
            "blocks that rules join.",
            unset="all columns are one block",
            label="Blocks",
        ),
    ] = None
    strata: Annotated[
        list[str] | None, Option(limit=OrNone(NamedColumns()), help="Columns whose values no group may mix.")
    ] = None
    weights: Annotated[str | None, Option(limit=OrNone(Column()), help="The column of sampling weights.")] = None
    unit: Annotated[
        str | None,
        Option(
            limit=OrNone(Column()),
            help="The column of the household, firm or other unit: at least k different ones in every group.",
        ),
    ] = None
    as_is: Annotated[
        list[str] | None,
        Option(limit=OrNone(NamedColumns()), help="Columns released unchanged: counted, and warned of.", unset="none"),
    ] = None
    confidential: Annotated[
        list[str] | None,
        Option(
            limit=OrNone(NamedColumns()),
            help="Columns that synthetic and hybrid data rewrite; the others stay.",
            unset="those with the role confidential",
        ),
    ] = None
    categories: Annotated[
        Way | dict[str, Way],
        Option(
            limit=OneOrByColumn(
                OneOf(
                    ("group", "suppress", "within"),
                    labels=("group with the rest", "keep, suppress rare combinations", "keep, groups within them"),
                ),
                "COLUMN=WORD",
                '{"region": "within"}',
            ),
            help='Columns of categories: "group" gives them the mode of their group, "suppress" keeps true values and '
            'suppresses cells, "within" keeps groups within them; COLUMN=WORD for one column.',
            unset="group",
            label="Categories",
        ),
    ] = "group"
    decimals: Annotated[
        int | dict[str, int] | None,
        Option(
            limit=OrNone(OneOrByColumn(DECIMALS, "COLUMN=NUMBER", '{"income": 2}')),
            help="Decimals of released values, so that rules hold in the text too; COLUMN=2 for one column.",
            label="Decimals",
        ),
    ] = None
    seed: Annotated[
        int | None,
        Option(
            limit=OrNone(Whole(0)),
            help="Where random choices start; drawn and recorded if not given.",
            label="Seed",
            published=False,
        ),
    ] = None

    @model_serializer(mode="wrap")
    def _without_defaults(self, handler: Any) -> dict[str, Any]:
        return {name: value for name, value in handler(self).items() if value != type(self).model_fields[name].default}


class Request(OpenOptions, PlannedOptions):
    """Everything that was asked of `shoal.protect`, within limits and as a plan holds it.

    ``request.model_dump()`` has the options that are not at their defaults, ready for TOML.
    """

    @classmethod
    def of(cls, table: Table, k: Any, options: Mapping[str, Any]) -> Self:
        """Return the request of options as `shoal.protect` takes them, objects and paths of rules among them."""
        for name in options:
            if name not in OPTIONS:
                raise ParameterError(
                    f'protect has no option "{name}".{nearest_name_hint(name, OPTIONS)}', parameter=name
                )
        from shoal.edits import rules_in

        check_limits({"k": OPTIONS["k"].limit}, {"k": k})
        own = getattr(options.get("method"), "k", k)
        if own != k:
            raise ParameterError(f"k={k} and the method's k={own} differ. Give the same k twice.", parameter="k")
        asked = {  # a tuple can be the name of one column
            name: str(value) if isinstance(value, tuple) and str(value) in table else value
            for name, value in options.items()
            if not (is_default(value) or (isinstance(value, Mapping) and not value))
        }
        return cls.settled(k=k, **asked | {"edits": rules_in(options.get("edits"))})

    def planned(self) -> dict[str, Any]:
        """Return what a plan holds of it as it is."""
        return {name: getattr(self, name) for name in PlannedOptions.model_fields}

    def left_open(self) -> OpenOptions:
        """Return what is decided before anything is masked."""
        return OpenOptions(**{name: getattr(self, name) for name in OpenOptions.model_fields})

    def selecting(self) -> dict[str, Any]:
        """Return what says which columns are used for what, but for blocks, as `shoal.describe.select` takes it."""
        names = ("columns", "roles", "kinds", "strata", "weights", "unit", "as_is")
        return {name: getattr(self, name) for name in names}

    def role_of(self) -> dict[str, Role]:
        """Return the role of every column that was given one by `roles`, `weights` or `unit`."""
        own: tuple[tuple[str | None, Role], ...] = ((self.weights, "weight"), (self.unit, "unit"))
        return {**(self.roles or {}), **{name: role for name, role in own if name is not None}}


OPTIONS = {**declared_options(OpenOptions), **declared_options(PlannedOptions)}
