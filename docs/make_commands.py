"""Write the page of commands: every argument and option of every command, as the command line itself declares them.

`make_reference.py` calls it; the page is `docs/reference/commands.md`.
"""

from __future__ import annotations

import re
from typing import Any

import typer

from shoal.cli.app import app
from shoal.cli.options import CommandWithCatalogue, catalogue_helps
from shoal.measure import MEASURES
from shoal.recode.catalogue import RECODES

__all__ = ["commands_page"]

COLUMNS = "names of columns, or what [the measure](measure.md) says"
EXIT_CODES = (
    "Exit codes: 0, done; 1, the data could not be protected, read or written, or break a rule that was checked; 2, "
    "the command, a job or a plan was wrong; 129, 130 and 143, stopped by a signal."
)


def commands_page() -> str:
    """Return the page of commands."""
    group: Any = typer.main.get_command(app)
    lines = ["# Commands", "", group.help, "", "| command | what it does |", "|---|---|"]
    for name, command in group.commands.items():
        lines.append(f"| [`shoal {name}`](#shoal-{name}) | {_cell(str(command.help).splitlines()[0])} |")
    lines += ["", "`shoal --version` prints the version, and `shoal COMMAND --help` what is here about one command."]
    lines += ["", EXIT_CODES]
    for name, command in group.commands.items():
        lines += ["", *_command(name, command)]
    lines += ["", *_measure_options()]
    lines += ["", "## Recodes", "", "`--recode COLUMN=RECODE` takes " + ", ".join(f"`{one}`" for one in RECODES)]
    lines[-1] += "; what each makes is under [recode](../steps/recode.md)."
    return "\n".join(lines) + "\n"


def _command(name: str, command: Any) -> list[str]:
    visible = [one for one in command.params if not getattr(one, "hidden", False)]
    arguments = [one for one in visible if one.param_type_name == "argument"]
    options = [one for one in visible if one.param_type_name == "option"]
    words = [one.name.upper() if one.required else f"[{one.name.upper()}]" for one in arguments]
    lines = [f"## shoal {name}", "", f"`{' '.join(['shoal', name, *words])} [OPTIONS]`", "", *_paragraphs(command)]
    if arguments:
        lines += ["| argument | what it is |", "|---|---|"]
        lines += [f"| `{one.name.upper()}` | {_cell(one.help)} |" for one in arguments]
        lines.append("")
    helps = catalogue_helps() if isinstance(command, CommandWithCatalogue) else {}
    lines += ["| option | what it does | default |", "|---|---|---|"]
    lines += [_option(one, helps.get(one.name) or one.help or "") for one in options]
    if any(one.name == "option" for one in options):
        lines += ["", "What `--option` takes is listed under [options of measures](#options-of-measures)."]
    return lines


def _paragraphs(command: Any) -> list[str]:
    paragraphs = [" ".join(part.split()) for part in command.help.split("\n\n")]
    return [line for paragraph in paragraphs for line in (paragraph, "")]


def _option(option: Any, text: str) -> str:
    names = sorted((*option.opts, *option.secondary_opts), key=lambda name: name.startswith("--"))
    text, default = _without_default(text)
    is_given = option.default not in (None, (), []) and option.default is not False  # which 0 is equal to
    if not default and is_given and not callable(option.default):
        default = str(option.default)
    return f"| {', '.join(f'`{one}`' for one in names)} | {_cell(text)} | {_cell(default)} |"


def _without_default(text: str) -> tuple[str, str]:
    """Split "The order. [utf-8]" into what it says and the default in brackets."""
    found = re.fullmatch(r"(.*?)\s*\[([^\[\]]+)\]", text, re.DOTALL)
    return (found[1], found[2]) if found else (text, "")


def _measure_options() -> list[str]:
    lines = ["## Options of measures", ""]
    lines += ["`--option MEASURE:OPTION=VALUE` of measure, report, compare and tune, `options=` in Python."]
    lines += ["", "| measure | option | default | what it may be |", "|---|---|---|---|"]
    for name, measure in MEASURES.items():
        for option, default in measure.options.items():
            wanted = getattr(measure.limits.get(option), "wanted", COLUMNS)
            usual = "none" if default is None else str(default)
            lines.append(f"| `{name}` | `{option}` | {_cell(usual)} | {_cell(wanted)} |")
    return lines


def _cell(text: str) -> str:
    return " ".join((text or "").split()).replace("|", "\\|").replace("<", "\\<").replace("*", "\\*")
