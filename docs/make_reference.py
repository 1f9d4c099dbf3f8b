"""Write the pages that follow from the code: the reference, and the table of methods.

    python docs/make_reference.py

The reference has every public name, as the `__all__` of each module lists them, and every option of every command, as
the command line declares them (`make_commands.py`). The table of methods has what each method, replacement and measure
says about itself. `make docs` runs this first, so that the pages cannot be out of date;
they are kept in the repository so that they can be read without building anything.
"""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, get_args

from make_commands import commands_page

from shoal.measure import MEASURES, FileMeasure, Measure
from shoal.partition import METHODS
from shoal.replace import REPLACEMENTS

DOCS = Path(__file__).resolve().parent

# Every page of the reference: its title, and its modules with their public names; None for all of `__all__`.
PAGES: dict[str, tuple[str, dict[str, list[str] | None]]] = {
    "shoal": ("shoal", {"shoal": None, "shoal.flow.job.reading": ["Job"], "shoal.scale.release": ["ClusterRelease"]}),
    "read": ("shoal.read", {"shoal.read": None}),
    "write": ("shoal.write", {"shoal.write": None}),
    "describe": ("shoal.describe", {"shoal.describe": None}),
    "recode": ("shoal.recode", {"shoal.recode": None}),
    "edits": ("shoal.edits", {"shoal.edits": None}),
    "partition": ("shoal.partition", {"shoal.partition": None}),
    "fuzzy": ("shoal.partition.fuzzy", {"shoal.partition.fuzzy": None}),
    "replace": ("shoal.replace", {"shoal.replace": None}),
    "measure": ("shoal.measure", {"shoal.measure": None}),
    "search": (
        "Comparisons and searches",
        {
            "shoal.search.comparison": ["ComparedRelease"],
            "shoal.search.trial": ["TrialMeasures", "Trial"],
            "shoal.flow.category_ways": ["category_ways", "CategoryWay"],
        },
    ),
    "report": (
        "Reports",
        {
            "shoal.report.facts.collect": ["summarize", "summarize_files", "Summary", "summary_schema"],
            "shoal.report.page.html": ["report_html", "write_report"],
        },
    ),
    "datasets": ("shoal.datasets", {"shoal.datasets": None}),
    "errors": ("shoal.errors", {"shoal.errors": None}),
}
# What is on a page of several modules.
ABOUT = {
    "shoal": "shoal protects tables of personal or business records so that they can be shared, and measures what that "
    "costs; the job that a file describes, and a release that was made on a cluster.",
    "search": "What comparisons and searches return: a release compared with others, a trial and its measures, and one "
    "release with its categories treated in three ways.",
    "report": "Everything known about a release, for one of two audiences, and the page that shows it.",
}
MODULES = [module for _, modules in PAGES.values() for module, names in modules.items() if names is None]


def main() -> None:
    """Write all pages."""
    for path, text in pages().items():
        file = DOCS / path
        if not file.exists() or file.read_text(encoding="utf-8") != text:
            file.write_text(text, encoding="utf-8")


def pages() -> dict[str, str]:
    """Return the text of every page, by its path below docs/."""
    reference = {f"reference/{name}.md": reference_page(title, modules) for name, (title, modules) in PAGES.items()}
    others = {"reference/commands.md": commands_page(), "methods/index.md": methods_page()}
    return {"reference/index.md": index_page(), **reference, **others}


# The reference.


def index_page() -> str:
    """Return the first page of the reference."""
    about = "Every public name, in the order of the flow, and every command with its options."
    lines = ["# Reference", "", about, "", "| page | what is there |", "|---|---|"]
    commands = "Every command of `shoal` with its arguments and options; options of measures; recodes"
    lines.append(f"| [Commands](commands.md) | {commands} |")
    for name, (title, modules) in PAGES.items():
        lines.append(f"| [{title}]({name}.md) | {ABOUT.get(name) or _contents(modules)} |")
    return _text([*lines, "", "```{toctree}", ":hidden:", "", "commands", *PAGES, "```"])


def _contents(modules: Mapping[str, list[str] | None]) -> str:
    """Return the first sentences of some modules, for a cell of a table."""
    first = [(inspect.getdoc(import_module(module)) or "").split("\n\n")[0] for module in modules]
    return " ".join(" ".join(first).split()).replace("|", "\\|")


def reference_page(title: str, modules: Mapping[str, list[str] | None]) -> str:
    """Return the page of some modules."""
    lines = [f"# {title}", ""]
    for module, names in modules.items():
        names = import_module(module).__all__ if names is None else names
        homes = {name: home for name in names if (home := _home(module, name)) is not None}
        lines += ["```{eval-rst}", f".. automodule:: {module}", "```", ""]
        if homes:
            lines += ["| name | described under |", "|---|---|"]
            lines += [f"| `{module}.{name}` | [{home}]({_page(home)}.md) |" for name, home in homes.items()]
            lines.append("")
        lines += ["```{eval-rst}"]
        for name in names:
            if name not in homes:
                lines += directive(module, name)
        lines += ["```", ""]
    return _text(lines)


def directive(module: str, name: str) -> list[str]:
    """Return the reStructuredText that describes a public name."""
    thing, path = getattr(import_module(module), name), f"{module}.{name}"
    if isinstance(thing, Measure | FileMeasure):
        return [f".. autofunction:: {path}", "", f"   {_about(thing)}", ""]
    if inspect.isclass(thing):
        return [f".. autoclass:: {path}", "   :members:", *_left_out(thing), ""]
    if callable(thing) and not get_args(thing):
        return [f".. autofunction:: {path}", ""]
    return [f".. py:data:: {path}", "", f"   {_constant(thing)}", ""]


def _left_out(kind: type) -> list[str]:
    """Return the option that leaves out members the docstring of the class describes, and pydantic's settings."""
    lines = re.findall(r"^\w+(?:, \w+)*$", inspect.getdoc(kind) or "", re.MULTILINE)
    described = {name for line in lines for name in line.split(", ")}
    names = [name for name in vars(kind) if name in described or name == "model_config"]
    return [f"   :exclude-members: {', '.join(names)}"] if names else []


def _home(module: str, name: str) -> str | None:
    """Return the module whose page describes a name that is also public here; None if it is described here."""
    thing = getattr(import_module(module), name)
    if isinstance(thing, ModuleType):
        return thing.__name__
    if module != "shoal":
        return None
    return next((other for other in MODULES if other != "shoal" and name in import_module(other).__all__), None)


def _page(module: str) -> str:
    return next(name for name, (_, modules) in PAGES.items() if module in modules)


def _about(measure: Measure[..., Any] | FileMeasure[Any]) -> str:
    about = measure.about
    low, high = about.range
    unit = " %" if about.unit == "%" else ""
    ends = f"From {low:g}{unit}, without an upper limit" if math.isinf(high) else f"From {low:g} to {high:g}{unit}"
    return _escaped(
        f"{about.title}. {about.definition} {ends}; {about.better} is better. Reference: {about.reference}."
    )


def _constant(value: Any) -> str:
    if isinstance(value, Mapping):
        return "Classes or functions by name: " + ", ".join(f"``{one}``" for one in value) + "."
    return "One of " + ", ".join(f"``{one}``" for one in get_args(value) or value) + "."


def _escaped(text: str) -> str:
    escaped = re.sub(r"([|*`\\]|_(?=\W|$))", r"\\\1", text)
    return re.sub(r"\\`(\w+)\\`", r"*\1*", escaped)


# Methods and references.


def methods_page() -> str:
    """Return the page of methods, replacements and measures, with what each says about itself."""
    lines = [
        "# Methods and references",
        "",
        "A masking is a method, which groups the records, and a replacement, which gives the records of a group new "
        "values. Each has a page: its idea in a picture, the formula, when to use it, what it costs. "
        "[Choose a method](../how-to/choosing-a-method.md) is a decision tree. If you publish results, please cite the "
        "papers of the methods you used.",
        "",
        "More about methods: [values that stand for a group](representatives.md), "
        "[values changed record by record](perturbation.md), [local suppression](suppression.md), "
        "[how far from the best](proven.md), [differences from the literature](literature.md), "
        "[the papers' tables and figures again](../studies/index.md).",
        "",
        "## Methods",
        "",
        "`method=` in Python, `--method` on the command line.",
        "",
        *_table(("name", "what it does", "reference"), METHODS.values(), _method_row),
        "",
        "What each supports. *Up to* is the number of records beyond which it takes longer than about a minute. "
        "[Rules and methods](../steps/edits.md#rules-and-methods) says what averages keep. Where all records are one "
        "group, the replacement says whether values may be missing.",
        "",
        *_table(
            ("name", "class", "works on", "sampling weights", "missing values", "edit rules", "up to"),
            METHODS.values(),
            _method_support,
        ),
        "",
        "Clusterings that are estimators only, and no methods of `protect`:",
        "",
        "| class | reference |",
        "|---|---|",
        *(f"| `{name}` | {reference} |" for name, reference in ESTIMATORS.items()),
        "",
        "## Replacements",
        "",
        "`replace=` in Python, `--replace` on the command line.",
        "",
        *_table(("name", "what it does", "reference"), REPLACEMENTS.values(), _replacement_row),
        "",
        "What each supports. For edit rules: *those it keeps* are listed under [how rules are kept]"
        "(../steps/edits.md#how-rules-are-kept); *record by record*, values are drawn again or moved until they hold; "
        "*checked*, a release that breaks one is refused.",
        "",
        *_table(
            (
                "name",
                "class",
                "kinds of variable",
                "sampling weights",
                "missing values",
                "edit rules",
                "default method",
            ),
            REPLACEMENTS.values(),
            _replacement_support,
        ),
        "",
        "## Measures",
        "",
        *_table(("name", "what it is", "better", "reference"), _all_measures(), _measure_row),
        "",
        "## Edit rules, distances and data",
        "",
        "| in shoal | reference |",
        "|---|---|",
        *(f"| {name} | {reference} |" for name, reference in OTHERS.items()),
        "",
        "```{toctree}",
        ":hidden:",
        "",
        *_method_pages(),
        "```",
    ]
    return _text(lines)


def _method_pages() -> list[str]:
    """Return the pages of methods, then those of replacements, then the others, for the list beside the page."""
    pages = {page.stem for page in (DOCS / "methods").glob("*.md")} - {"index", "studies"}
    described = [one.name for one in (*METHODS.values(), *REPLACEMENTS.values()) if one.name in pages]
    return [*described, *sorted(pages - set(described))]


ESTIMATORS = {
    "MDAVGeneric": "J. Domingo-Ferrer and V. Torra (2005), Ordinal, continuous and heterogeneous k-anonymity through "
    "microaggregation, Data Mining and Knowledge Discovery 11; the form of `mdav` for missing values and for "
    "category codes",
    "fuzzy.NoiseClustering": "R. N. Davé (1991), Characterization and detection of noise in clustering, Pattern "
    "Recognition Letters 12",
    "fuzzy.FuzzyPossibilisticCMeans": "N. R. Pal, K. Pal and J. C. Bezdek (1997), A mixed c-means clustering model, "
    "IEEE International Conference on Fuzzy Systems",
    "fuzzy.PossibilisticCMeans": "R. Krishnapuram and J. M. Keller (1993), A possibilistic approach to clustering, "
    "IEEE Transactions on Fuzzy Systems 1",
    "fuzzy.FuzzyCRegression": "R. J. Hathaway and J. C. Bezdek (1993), Switching regression models and fuzzy "
    "clustering, IEEE Transactions on Fuzzy Systems 1",
    "fuzzy.CMeans": "S. P. Lloyd (1982), Least squares quantization in PCM, IEEE Transactions on Information Theory 28",
}
OTHERS = {
    "edit rules: their kinds, and which representative keeps which": "V. Torra, I. Cano and G. Navarro-Arribas (2009), "
    "Dealing with edit constraints in microdata protection: microaggregation, Joint UNECE/Eurostat work session on "
    "statistical data confidentiality, Bilbao; repeated in [the study on edit rules](../studies/edit_rules.md)",
    "rules in Schematron files": "ISO/IEC 19757-3, Rule-based validation using Schematron",
    "Gower's distance of mixed tables": "J. C. Gower (1971), A general coefficient of similarity and some of its "
    "properties, Biometrics 27(4)",
    "the test files Census, Tarragona, EIA": "R. Brand, J. Domingo-Ferrer and J. M. Mateo-Sanz (2002), Reference data "
    "sets to test and compare SDC methods, CASC project",
}


def _linked(described: Any) -> str:
    """Return what a method or a replacement says it does, as a link to its page; values for a group have one page."""
    own = (DOCS / "methods" / f"{described.name}.md").exists()
    return f"[{described.summary}]({described.name if own else 'representatives'}.md)"


def _method_row(method: Any) -> tuple[str, ...]:
    return f"`{method.name}`", _linked(method), _reference(method.reference)


def _method_support(method: Any) -> tuple[str, ...]:
    most = "any size" if method.most_records is None else f"{method.most_records:,}"
    works_on = {"column": "one variable", "block": "a block of variables", "file": "all records as one group"}
    return f"`{method.name}`", f"`{_class_of(method)}`", works_on[method.scope], *_support(method), most


def _replacement_row(replacement: Any) -> tuple[str, ...]:
    return f"`{replacement.name}`", _linked(replacement), _reference(replacement.reference)


def _replacement_support(replacement: Any) -> tuple[str, ...]:
    kinds = [kind for kind in ("continuous", "ordinal", "nominal") if kind in replacement.kinds]
    names = f"`{replacement.name}`", f"`{replacement.__name__}`"
    return *names, ", ".join(kinds), *_support(replacement), f"`{replacement.default_method}`"


def _support(kind: Any) -> tuple[str, str, str]:
    # Of the replacements, the rules of a table decide which is taken: see steps/edits.md.
    every = "all kinds" if hasattr(kind, "gives") else "those it keeps"
    rules = {"all": every, "averages": "those averages keep", "records": "record by record", "checked": "checked"}
    return "yes" if kind.supports_weights else "no", "yes" if kind.supports_missing else "no", rules[kind.keeps_rules]


def _measure_row(measure: Any) -> tuple[str, ...]:
    about = measure.about
    return f"`{about.name}`", about.title, about.better, _reference(about.reference)


def _all_measures() -> list[Any]:
    measure = import_module("shoal.measure")
    compared = [getattr(measure, name) for name in measure.__all__]
    return [*MEASURES.values(), *(one for one in compared if isinstance(one, Measure))]


def _class_of(method: Any) -> str:
    name = getattr(method, "estimator", method).__name__
    return f"fuzzy.{name}" if name in import_module("shoal.partition.fuzzy").__all__ else name


def _reference(text: str) -> str:
    return text.rstrip(".").replace("|", "\\|") or "-"


def _table(head: tuple[str, ...], things: Iterable[Any], row: Callable[[Any], tuple[str, ...]]) -> list[str]:
    lines = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
    return [*lines, *(f"| {' | '.join(row(thing))} |" for thing in things)]


def _text(lines: Iterable[str]) -> str:
    return "\n".join(lines).rstrip() + "\n"


if __name__ == "__main__":
    main()
