"""The options of the command line that several commands share, declared once.

A command names the groups it takes, ``@takes(options=PROTECTION, reading=READING)``, and gets each as a dictionary of
what was given. A new option of `shoal.protect` is one line in `PROTECTION`, and one in `protection_options` if its text
has to be read.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer
from typer.core import TyperCommand

from shoal.cli.texts import (
    read_assignments,
    read_blocks,
    read_categories,
    read_decimals,
    read_measure_options,
    read_missing_codes,
    read_names,
    read_orders,
    read_recodes,
    read_replacements,
)
from shoal.errors import ParameterError

__all__ = [
    "CLUSTER",
    "DIVISION",
    "PROTECTION",
    "READING",
    "Blocks",
    "CommandWithCatalogue",
    "CommandWithMeasures",
    "Json",
    "Kind",
    "Option",
    "Quick",
    "Quiet",
    "SampleSeed",
    "Strata",
    "catalogue_helps",
    "cluster_of",
    "given_options",
    "measure_options",
    "protection_options",
    "refuse_beside_plan",
    "refuse_with_engine",
    "takes",
]

Blocks = Annotated[
    list[str] | None,
    typer.Option(
        help="Columns in a block (a number), or one block's columns; repeat for more blocks; or rules, for the blocks "
        "that rules join. [all columns are one block]"
    ),
]
Kind = Annotated[list[str] | None, typer.Option(help="COLUMN=KIND: continuous, ordinal, nominal.")]
Strata = Annotated[list[str] | None, typer.Option(help="Columns whose values no group may mix.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors and warnings.")]
Quick = Annotated[bool, typer.Option("--quick", help="Leave out measures that take long, and say which.")]
Option = Annotated[
    list[str] | None,
    typer.Option(
        help="MEASURE:OPTION=VALUE,OPTION=VALUE: how a measure is computed, such as "
        '"distance_linkage:direction=masked-to-original,ties=any"; repeat for more measures.'
    ),
]
SampleSeed = Annotated[int, typer.Option(help="Where samples of large files start.")]

# The options of `shoal.protect` beside k, the method and the seed, as protect, compare and tune take them.
PROTECTION: dict[str, Any] = {
    "columns": Annotated[
        list[str] | None, typer.Option(help="Columns to protect, separated by commas. [all that have no other role]")
    ],
    "role": Annotated[
        list[str] | None,
        typer.Option(help="COLUMN=ROLE: identifier, key, confidential, weight, stratum, unit, other."),
    ],
    "kind": Kind,
    "replace": Annotated[list[str] | None, typer.Option()],  # help: CommandWithCatalogue
    "blocks": Blocks,
    "strata": Strata,
    "weights": Annotated[str | None, typer.Option(help="The column of sampling weights.")],
    "as_is": Annotated[
        list[str] | None,
        typer.Option("--as-is", help="Columns released unchanged: counted, and warned of. [none]"),
    ],
    "recode": Annotated[
        list[str] | None,
        typer.Option(
            help='COLUMN=RECODE: makes a column coarser before records are grouped, "age=bands:width=5,top=85", '
            '"rel=merge:other=[a,b],rare=20"; repeat for more, also of one column. [none]'
        ),
    ],
    "missing_codes": Annotated[
        list[str] | None,
        typer.Option(
            "--missing-codes", help='COLUMN=VALUE,VALUE: values that mean missing, "income=-9,99999"; "*" for all.'
        ),
    ],
    "unit": Annotated[
        str | None,
        typer.Option(help="The column of the household, firm or other unit: at least k different ones in every group."),
    ],
    "drop_unit": Annotated[
        bool, typer.Option("--drop-unit", help="Leave the column of units out of the release. [it gets new ids]")
    ],
    "confidential": Annotated[
        list[str] | None,
        typer.Option(
            help="Columns that synthetic and hybrid data rewrite; the others stay. [those with the role confidential]"
        ),
    ],
    "edits": Annotated[
        Path | None,
        typer.Option(
            help='Rules that hold in the release: a text file with one a line ("net + tax == gross"), or Schematron.'
        ),
    ],
    "repair": Annotated[
        bool, typer.Option("--repair", help="Repair linear rules that the file breaks, instead of refusing it.")
    ],
    "missing": Annotated[
        str | None,
        typer.Option(
            help='"error" refuses missing values, "keep" leaves them where they are, "fill" gives them the value of '
            "their group. [error]"
        ),
    ],
    "diversity": Annotated[
        int | None,
        typer.Option(help="Different values of every confidential variable in a group, at least (l-diversity)."),
    ],
    "closeness": Annotated[
        float | None,
        typer.Option(
            help="How far the confidential variables of a group may be from the file's, from 0 to 1 (t-closeness)."
        ),
    ],
    "dominance": Annotated[
        float | None,
        typer.Option(help="The largest share of a group's sum, in %, that one record may have; groups are joined."),
    ],
    "categories": Annotated[
        list[str] | None,
        typer.Option(
            help='Columns of categories: "group" gives them the mode of their group, "suppress" keeps true values and '
            'suppresses cells, "within" keeps groups within them; COLUMN=WORD for one column. [group]'
        ),
    ],
    "standardize": Annotated[
        bool | None, typer.Option("--standardize/--no-standardize", help="Take distances on standard scores. [yes]")
    ],
    "decimals": Annotated[
        list[str] | None,
        typer.Option(help="Decimals of released values, so that rules hold in the text too; COLUMN=2 for one column."),
    ],
    "bounds": Annotated[
        bool, typer.Option("--bounds", help="Keep synthetic numbers in the range of the original, but for its ends.")
    ],
}
# What may be needed to read a file.
READING: dict[str, Any] = {
    "delimiter": Annotated[str | None, typer.Option(help="What separates the cells of a CSV file. [from its header]")],
    "decimal": Annotated[str | None, typer.Option(help='The decimal mark of a CSV file, "." or ",".')],
    "encoding": Annotated[str | None, typer.Option(help="The encoding of a CSV file. [utf-8]")],
    "sheet": Annotated[str | None, typer.Option(help="The sheet of an Excel file. [the first]")],
    "orders": Annotated[
        list[str] | None,
        typer.Option("--order", help='The order of a column of text: "education=primary<secondary"; repeat for more.'),
    ],
    "budget": Annotated[
        float | None, typer.Option(help="How many times the usual memory and time reading a file may take. [1]")
    ],
}
# Where the work is done.
CLUSTER: dict[str, Any] = {
    "engine": Annotated[
        str | None,
        typer.Option(help='"dask" works on folders of Parquet files, on a cluster. [this process alone, on files]'),
    ],
    "scheduler": Annotated[
        str | None,
        typer.Option(help="The address of a Dask cluster that is there, tcp://HOST:PORT. [workers on this machine]"),
    ],
    "workers": Annotated[int | None, typer.Option(help="How many workers to start on this machine. [one a processor]")],
    "worker_memory": Annotated[
        str | None, typer.Option("--worker-memory", help="The memory of each of these, such as 2GB. [a fair share]")
    ],
}
# How a file is divided between workers.
DIVISION: dict[str, Any] = {
    "block_records": Annotated[
        int | None, typer.Option("--block-records", help="Records that a worker protects at once. [500000]")
    ],
    "refine_borders": Annotated[
        bool,
        typer.Option("--refine-borders", help="Search through groups near the cuts between blocks once more. [no]"),
    ],
}


def cluster_of(options: Mapping[str, Any]) -> Any:
    """Return the cluster that the options of `CLUSTER` name; None where no engine is named."""
    engine = options.get("engine")
    if engine is None:
        for name in options:
            raise ParameterError(f"--{name.replace('_', '-')} needs --engine dask.", parameter=name)
        return None
    if engine != "dask":
        raise ParameterError(f'There is no engine "{engine}". Use --engine dask, or leave it out.', parameter="engine")
    from shoal.scale.cluster import Cluster  # quick start-up

    return Cluster(options.get("scheduler"), workers=options.get("workers"), memory=options.get("worker_memory"))


def refuse_with_engine(cluster: Mapping[str, Any], options: Mapping[str, Any]) -> None:
    """Raise ParameterError if an engine is named beside an option that it does not have."""
    for name, value in options.items():
        if cluster.get("engine") is not None and value not in (None, [], 0, False):
            option = f"--{name.replace('_', '-')}"
            raise ParameterError(f"{option} is not there with --engine dask. Leave one of them out.", parameter=name)


def takes(**groups: Mapping[str, Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the options of groups; it gets each group as a dictionary of what was given."""

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        hints = get_type_hints(command, include_extras=True)
        parameters: list[inspect.Parameter] = []
        for parameter in inspect.signature(command).parameters.values():
            if parameter.name in groups:
                parameters += [_parameter(*option) for option in groups[parameter.name].items()]
            else:
                parameters.append(parameter.replace(annotation=hints[parameter.name]))

        @wraps(command)
        def run(**values: Any) -> None:
            in_groups: dict[str, dict[str, Any]] = {}
            for group, options in groups.items():
                texts = {name: values.pop(name) for name in options}
                flags = [name for name, annotation in options.items() if annotation.__origin__ is bool]
                in_groups[group] = {
                    name: text
                    for name, text in texts.items()
                    if text is not None and text != [] and not (name in flags and not text)
                }
                if "orders" in in_groups[group]:
                    in_groups[group]["orders"] = read_orders(in_groups[group]["orders"])
            command(**values, **in_groups)

        run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # what typer looks at
        run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        return run

    return decorate


def _parameter(name: str, annotation: Any) -> inspect.Parameter:
    default = False if annotation.__origin__ is bool else None
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def given_options(**options: Any) -> dict[str, Any]:
    """Return the options that are not None."""
    return {name: value for name, value in options.items() if value is not None}


def protection_options(texts: Mapping[str, Any], names: list[str]) -> dict[str, Any]:
    """Return the options of `shoal.protect` from the texts of `PROTECTION`; `names` are the columns of the table."""
    from shoal.edits import read_edits  # quick start-up

    read = {
        "columns": read_names(texts.get("columns")),
        "roles": read_assignments("--role", texts.get("role")) or None,
        "kinds": read_assignments("--kind", texts.get("kind")) or None,
        "replace": read_replacements(texts.get("replace"), names),
        "blocks": read_blocks(texts.get("blocks")),
        "strata": read_names(texts.get("strata")),
        "as_is": read_names(texts.get("as_is")),
        "confidential": read_names(texts.get("confidential")),
        "edits": read_edits(texts["edits"]) if "edits" in texts else None,
        "decimals": read_decimals(texts.get("decimals")),
        "recodes": read_recodes(texts.get("recode"), names),
        "missing_codes": read_missing_codes(texts.get("missing_codes"), names),
        "categories": read_categories(texts.get("categories")),
    }
    as_they_are = {name: value for name, value in texts.items() if name not in (*read, "role", "kind", "recode")}
    return given_options(**read, **as_they_are)


def measure_options(
    texts: list[str] | None, *, in_trials: bool = False, further: Sequence[str] = ()
) -> dict[str, dict[str, Any]]:
    """Return the options of measures from the texts of --option, checked as far as no file is needed.

    `in_trials` says whether only the measures of compare and tune, and those in `further`, can have some.
    """
    if not texts:
        return {}
    from shoal.measure import MEASURES  # quick start-up
    from shoal.measure.options import checked_measure_options
    from shoal.search.trial import TRIAL_MEASURES

    return checked_measure_options(read_measure_options(texts), [*TRIAL_MEASURES, *further] if in_trials else MEASURES)


def refuse_beside_plan(options: list[str]) -> None:
    """Raise ParameterError if an option is given beside --plan that the plan has decided."""
    if options:
        option = "-k" if options[0] == "k" else f"--{options[0]}"
        raise ParameterError(
            f"The plan decides everything; {option} cannot change it. Edit the plan, or leave {option} out."
        )


def catalogue_helps() -> dict[str, str]:
    """Return the help of --method and --replace, with the names of all methods and replacements."""
    from shoal.partition import METHODS  # quick start-up: only the help needs them all
    from shoal.replace import REPLACEMENTS

    return {
        "method": f'How records are grouped: {", ".join(METHODS)}; with parameters, "mdav:variant=two-k". [mdav]',
        "replace": f"What replaces the values of a group: {', '.join(REPLACEMENTS)}; with parameters, "
        '"order-statistic:q=0.25"; COLUMN=NAME for one column. [mean]',
    }


class CommandWithMeasures(TyperCommand):
    """A command whose help lists the options of all measures, taken from their functions when the help is shown."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help, with what can be given by --option."""
        from shoal.measure import MEASURES  # quick start-up: only the help needs them all

        super().format_help(ctx, formatter)
        rows = []
        for name, measure in MEASURES.items():
            wanted = {option: getattr(measure.limits.get(option), "wanted", "") for option in measure.options}
            texts = [
                f"{option}={'none' if default is None else default}{f' ({wanted[option]})' if wanted[option] else ''}"
                for option, default in measure.options.items()
            ]
            rows.append((name, "; ".join(texts)))
        with formatter.section("Options of measures and their defaults"):
            formatter.write_dl([row for row in rows if row[1]])


class CommandWithCatalogue(TyperCommand):
    """A command whose help lists all methods and replacements, taken from their classes when the help is shown."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help, with the names of all methods and replacements at --method and --replace."""
        from shoal.partition import METHODS  # quick start-up: only the help needs them all
        from shoal.replace import REPLACEMENTS

        helps = catalogue_helps()
        for parameter in self.params:
            if parameter.name in helps:
                parameter.help = helps[parameter.name]  # type: ignore[attr-defined]
        super().format_help(ctx, formatter)
        for title, catalogue in (("Methods", METHODS), ("Replacements", REPLACEMENTS)):
            with formatter.section(title):
                formatter.write_dl(list(catalogue.summaries.items()))
