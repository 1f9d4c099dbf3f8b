"""The command that searches for a release."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoal.cli.options import (
    PROTECTION,
    READING,
    Json,
    MeasureOption,
    Quiet,
    given_options,
    measure_options,
    read_options,
    takes,
)
from shoal.cli.terminal import progress_bar, say
from shoal.cli.texts import read_ks, read_methods
from shoal.errors import ParameterError, WriteError
from shoal.parameters.typed import typed_path

if TYPE_CHECKING:
    from shoal.search.tuning import Tuning

__all__ = ["tune"]

_SECONDS = 120.0


_OPTIONS = {  # without replace, which is searched always
    name: replace(option, unset="searched") if name in ("blocks", "categories") else option
    for name, option in PROTECTION.items()
    if name != "replace"
}


_TRIED = {
    "try_recodes": replace(
        PROTECTION["recodes"],
        help='COLUMN=RECODE: a recode to try, "age=bands:width=5"; repeat for more.',
        flag="try-recode",
    )
}


@takes(options=_OPTIONS, tried=_TRIED, reading=READING)
def tune(
    *,
    file: Annotated[Path, typer.Argument(help="The table to find a release for.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Where to write the page (.html). [FILE-tuned.html]")
    ] = None,
    methods: Annotated[
        str | None,
        typer.Option(help='Names separated by commas, "mdav,fuzzy:m=1.2,mdav+hybrid". [mdav, vmdav, refine, ...]'),
    ] = None,
    k: Annotated[
        str | None, typer.Option("-k", help="The values of k, separated by commas. [3,5,10,20,50,100,200]")
    ] = None,
    max_risk: Annotated[
        float | None, typer.Option(help="Choose what loses least with at most this risk, in %. [lowest score]")
    ] = None,
    seconds: Annotated[float | None, typer.Option(help="How long to search. [120, without --trials]")] = None,
    trials: Annotated[int | None, typer.Option(help="How many releases to evaluate.")] = None,
    search: Annotated[str, typer.Option(help='"grid", or "optuna" for long searches.')] = "grid",
    utility: Annotated[
        str | None,
        typer.Option(
            help='What the loss is: "probabilistic_information_loss", of numbers; "mixed_information_loss", of all '
            'columns; "analytical_loss". [mixed where there are categories or recodes to try]'
        ),
    ] = None,
    tried: dict[str, Any],
    resume: Annotated[Path | None, typer.Option(help="Go on with the trials in this file (.jsonl).")] = None,
    plan: Annotated[
        list[str] | None,
        typer.Option(help="PLAN.toml: write the plan of what is chosen there; N=PLAN.toml: of trial N."),
    ] = None,
    plans: Annotated[Path | None, typer.Option(help="Write the plans of the whole front into this folder.")] = None,
    svg: Annotated[Path | None, typer.Option("--map", help="Write the map of risk and loss there, as SVG.")] = None,
    option: MeasureOption = None,
    json: Json = False,
    options: dict[str, Any],
    seed: Annotated[int, typer.Option(help="Where the search starts.")] = 0,
    reading: dict[str, Any],
    quiet: Quiet = False,
) -> None:
    """Search for the release with the best score.

    Over methods, their parameters, k, blocks, ways with categories and recodes. Nothing is released.
    """
    import json as to_json

    from shoal.read import as_table
    from shoal.report.terminal.tuning import tuning_text
    from shoal.search.tune import tune

    measured_with = measure_options(option, in_trials=True)
    output = output or Path(f"{file.stem}-tuned.html")
    if resume is not None and not resume.exists():
        raise ParameterError(f"{resume} is not there. Leave --resume out to start a search.")
    log = resume or output.with_suffix(".trials.jsonl")
    table = as_table(file, **reading)
    wanted = _read_plans(plan)
    if trials is not None and resume is None:
        _refuse_later_than(trials, wanted)
    _refuse_targets(table, output, log, svg, wanted, options.get("edits"))
    if plans is not None:
        _make_folder(plans)
    searched = given_options(
        k=None if k is None else read_ks(k),
        methods=None if methods is None else read_methods(methods),
        seconds=_SECONDS if seconds is None and trials is None else seconds,
    )
    searched |= {"log": log} if resume is None else {"resume": resume}
    searched |= {"options": measured_with, "utility": utility}
    searched |= read_options(tried, table.names, _TRIED)
    chosen = read_options(options, table.names)
    with progress_bar(quiet or json, "searching"):
        tuning = tune(table, max_risk=max_risk, trials=trials, search=search, seed=seed, **chosen, **searched)
    tuning.report(output, title=f"Releases of {file.name}")
    if svg is not None:
        tuning.map(svg)
    if json:
        say(to_json.dumps(tuning.to_dict(), indent=2, ensure_ascii=False))
    elif not quiet:
        say(tuning_text(file.name, tuning))
        say(f"\nwritten            {output}")
        say(f"trials             {log} (--resume {typed_path(log)} goes on from there)")
        if tuning.moved_to is not None:
            say(f"earlier trials     {tuning.moved_to}")
    with progress_bar(quiet or json, "writing plans"):
        for one in _write_plans(tuning, file, wanted, plans, options.get("edits")):
            if not json and not quiet:
                say(f"plan               {one} (holds the seed: keep it as safe as the input)")


_Wanted = list[tuple[int | None, Path]]


def _read_plans(texts: list[str] | None) -> _Wanted:
    """Read "PLAN.toml" as the plan of what is chosen, "7=PLAN.toml" as that of a trial."""
    wanted: _Wanted = []
    for text in texts or []:
        number, sign, path = text.partition("=")
        of_trial = sign and number.strip().isascii() and number.strip().isdigit()
        wanted.append((int(number), Path(path)) if of_trial else (None, Path(text)))
    return wanted


def _refuse_later_than(trials: int, wanted: _Wanted) -> None:
    """Raise ParameterError if the plan of a trial is wanted that will not be made."""
    too_high = [number for number, _ in wanted if number is not None and number > trials]
    if too_high:
        raise ParameterError(f"--plan asks for trial {too_high[0]}, but there will be {trials}. Raise --trials.")


def _refuse_targets(table: Any, output: Path, log: Path, svg: Path | None, wanted: _Wanted, rules: Path | None) -> None:
    """Raise WriteError if something cannot be written, or would overwrite what is read."""
    from shoal.write import refuse_targets

    named = [(f"plan of {f'trial {number}' if number else 'what is chosen'}", path, ".toml") for number, path in wanted]
    written = [("page", output, ".html"), ("file of trials", log, ".jsonl"), ("map", svg, ".svg"), *named]
    refuse_targets(table, written, read=[("file of rules", rules)])


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WriteError(f"The folder {folder} cannot be made: {error.strerror}.") from None


def _write_plans(
    tuning: Tuning, file: Path, wanted: _Wanted, folder: Path | None, rules: Path | None
) -> Iterator[Path]:
    """Write the plans that were asked for; each names a release beside it, as `protect` does."""
    from shoal import progress
    from shoal.read.files import ending_of
    from shoal.write import refuse_targets
    from shoal.write.files import can_be_written

    ending = ending_of(file) if can_be_written(ending_of(file)) else ".csv"
    front = [] if folder is None else [trial.number for trial in tuning.front]
    targets: _Wanted = [
        (number, folder / f"trial-{number}{ending}.plan.toml") for number in front if folder is not None
    ]
    targets += wanted  # last, since one of these may not be there
    for number, path in targets:
        refuse_targets(tuning.setup.table, [("plan", path, ".toml")], read=[("file of rules", rules)])
        name = path.name.removesuffix(".toml").removesuffix(".plan")
        release = path.with_name(name if name.endswith(ending) else f"{name}{ending}")
        if release.resolve() == file.resolve():
            release = path.with_name(f"{name}-masked{ending}")
        with progress.step(1 / len(targets)):
            tuning.plan(number, output=release).to_toml(path)
        yield path
