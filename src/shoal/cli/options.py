"""The options of the command line that several commands share.

A command names the groups it takes, ``@takes(options=PROTECTION, reading=READING)``, and gets each as a dictionary of
what was given. How an option is typed and what its help says is what was declared of it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import wraps
from typing import Annotated, Any, get_type_hints

import typer
from typer.core import TyperCommand

from shoal.cli.texts import read_measure_options
from shoal.errors import ParameterError
from shoal.flow.outcome import Divided, Reading
from shoal.flow.request import OPTIONS
from shoal.parameters.limits import Text, Whole
from shoal.parameters.option import Option, declared_options

__all__ = [
    "CLUSTER",
    "DIVISION",
    "MEASURED",
    "PROTECTION",
    "READING",
    "CommandWithCatalogue",
    "CommandWithMeasures",
    "Json",
    "MeasureOption",
    "Quick",
    "Quiet",
    "SampleSeed",
    "catalogue_helps",
    "cluster_of",
    "given_options",
    "measure_options",
    "read_options",
    "refuse_beside_plan",
    "refuse_with_engine",
    "takes",
]

Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors and warnings.")]
Quick = Annotated[bool, typer.Option("--quick", help="Leave out measures that take long, and say which.")]
MeasureOption = Annotated[
    list[str] | None,
    typer.Option(
        help="MEASURE:OPTION=VALUE,OPTION=VALUE: how a measure is computed, such as "
        '"distance_linkage:direction=masked-to-original,ties=any"; repeat for more measures.'
    ),
]
SampleSeed = Annotated[int, typer.Option(help="Where samples of large files start.")]

# The options of `shoal.protect` beside k, the method and the seed, as protect, compare and tune take them.
PROTECTION = {name: option for name, option in OPTIONS.items() if name not in ("k", "method", "seed")}
# What may be needed to read a file, and how one is divided between workers.
READING, DIVISION = declared_options(Reading), declared_options(Divided)
# What is known of a release without a plan.
MEASURED = {
    "method": replace(OPTIONS["method"], help="The method of the release, if there is no plan.", unset=""),
    "blocks": OPTIONS["blocks"],
    "strata": OPTIONS["strata"],
    "weights": replace(OPTIONS["weights"], help="The column of sampling weights, which risks leave out."),
    "unit": replace(OPTIONS["unit"], help="The column of units, such as households: they are counted."),
    "columns": replace(OPTIONS["columns"], help="Columns to compare, separated by commas.", unset="all in both files"),
    "kinds": OPTIONS["kinds"],
}
# Where the work is done.
CLUSTER = {
    "engine": Option(
        name="engine",
        limit=Text(),
        help='"dask" works on folders of Parquet files, on a cluster.',
        unset="this process alone, on files",
    ),
    "scheduler": Option(
        name="scheduler",
        limit=Text(),
        help="The address of a Dask cluster that is there, tcp://HOST:PORT.",
        unset="workers on this machine",
    ),
    "workers": Option(
        name="workers", limit=Whole(1), help="How many workers to start on this machine.", unset="one a processor"
    ),
    "worker_memory": Option(
        name="worker_memory", limit=Text(), help="The memory of each of these, such as 2GB.", unset="a fair share"
    ),
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


def takes(**groups: Mapping[str, Option]) -> Callable[[Callable[..., None]], Callable[..., None]]:
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
            given: dict[str, dict[str, Any]] = {}
            for group, options in groups.items():
                texts = {name: values.pop(name) for name in options}
                given[group] = {name: text for name, text in texts.items() if text not in (None, [])}
            if "reading" in given:
                given["reading"] = read_options(given["reading"], group=READING)
            command(**values, **given)

        run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # what typer looks at
        run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        return run

    return decorate


def _parameter(name: str, option: Option) -> inspect.Parameter:
    """Return an option as typer takes it."""
    typed, flag = option.form.typed, option.typed
    flag += f"/--no-{flag[2:]}" * (typed is bool and option.default is True)
    annotation = Annotated[typed | None, typer.Option(flag, help=option.described)]  # type: ignore[valid-type]
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation)


def given_options(**options: Any) -> dict[str, Any]:
    """Return the options that are not None."""
    return {name: value for name, value in options.items() if value is not None}


def read_options(
    texts: Mapping[str, Any], columns: Sequence[str] = (), group: Mapping[str, Option] = OPTIONS
) -> dict[str, Any]:
    """Return options as Python takes them from what was typed; `columns` are those of the table."""
    return {
        name: group[name].form.read(text, group[name].typed, columns) if isinstance(text, list) else text
        for name, text in texts.items()
    }


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


def refuse_beside_plan(options: Sequence[str]) -> None:
    """Raise ParameterError if an option is given beside --plan that the plan has decided."""
    if options:
        option = "-k" if options[0] == "k" else f"--{options[0]}"
        option = OPTIONS[options[0]].typed if options[0] in PROTECTION else option
        raise ParameterError(
            f"The plan decides everything; {option} cannot change it. Edit the plan, or leave {option} out."
        )


def catalogue_helps() -> dict[str, str]:
    """Return the help of --method and --replace, with the names of all methods and replacements."""
    from shoal.partition import METHODS  # quick start-up: only the help needs them all
    from shoal.replace import REPLACEMENTS

    names = {"method": list(METHODS), "replace": list(REPLACEMENTS)}
    return {name: OPTIONS[name].described.replace(";", f": {', '.join(own)};", 1) for name, own in names.items()}


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
