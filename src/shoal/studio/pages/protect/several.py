"""Several methods at once: each with every k becomes an attempt, one after the other."""

from __future__ import annotations

from collections.abc import Callable

from htmltools import Tag, tags
from shiny import Inputs, Outputs, Session, module, reactive, render, ui

from shoal.errors import ParameterError, ShoalError
from shoal.flow.masking import masking_of
from shoal.parameters.choices import as_text, split_outside_brackets
from shoal.studio.decisions import Decisions
from shoal.studio.pages.parts import labelled, notice, sending_button, sending_field
from shoal.studio.pages.view import View
from shoal.studio.workspace import State

__all__ = ["several_decisions", "several_server", "several_ui"]

_MOST = 30  # attempts of one press
_METHODS = "mdav, vmdav, mdav+median, rank-swap"


@module.ui
def several_ui() -> Tag:
    """Return the part of the page."""
    return ui.output_ui("form")


@module.server
def several_server(input: Inputs, output: Outputs, session: Session, view: View) -> None:
    """Take methods and ks, and try each with each."""
    workspace = view.workspace
    methods: reactive.Value[str] = reactive.Value(_METHODS)
    ks: reactive.Value[str] = reactive.Value("3, 5, 10")
    problem: reactive.Value[str] = reactive.Value("")

    @render.ui
    def form() -> Tag | None:
        if view.file is None:
            return None
        shown = problem.get()
        with reactive.isolate():  # what is written in one field does not draw the other anew
            return _form(session.ns, methods.get(), ks.get(), shown)

    @reactive.effect
    @reactive.event(input.field)
    def _field() -> None:
        message = input.field()
        (methods if message["of"] == "methods" else ks).set(str(message["value"]))

    @reactive.effect
    @reactive.event(input.start)
    def _start() -> None:
        try:
            several = _asked(workspace.state, methods.get(), ks.get())
        except ShoalError as error:
            problem.set(str(error))
        else:
            problem.set("")
            workspace.protect(several)


def _asked(state: State, methods: str, ks: str) -> list[Decisions]:
    """Return what is asked for, if it can be tried now."""
    if state.undecided:
        raise ShoalError("Say first what all columns are, in the step Variables.")
    if state.running is not None:
        raise ShoalError("Something is being done already: wait for it, or cancel it.")
    return several_decisions(state.decisions, methods, ks)


def _form(ns: Callable[[str], str], methods: str, ks: str, problem: str) -> Tag:
    to = ns("field")
    named = labelled("Methods", sending_field(to, ns("methods"), "Methods", methods, of="methods"))
    named.add_class("field-wide")
    return tags.details(
        tags.summary("Try several methods at once"),
        tags.p(
            "Each method with every k becomes an attempt, with the other settings as they are. "
            "Write a method with its replacement as mdav+median, and parameters as vmdav:gamma=0.5.",
            class_="form-text",
        ),
        tags.div(
            named,
            labelled("Values of k", sending_field(to, ns("ks"), "Values of k", ks, of="ks")),
            sending_button(ns("start"), ns("start_all"), "Try them", "secondary"),
            class_="fields",
        ),
        notice(problem, "problem") if problem else None,
        {"id": ns("all")},
        class_="more",
    )


def several_decisions(decisions: Decisions, methods: str, ks: str) -> list[Decisions]:
    """Return the decisions with every method and k of two lists of texts with commas.

    A method is what `shoal.compare` takes: "mdav", "vmdav:gamma=0.5", "mdav+median", "hybrid".
    """
    maskings = [masking_of(one) for one in _listed(methods)]
    for masking in maskings:
        masking.check()
    try:
        numbers = [int(one) for one in _listed(ks)]
    except ValueError:
        raise ParameterError("k: whole numbers with commas between them are needed, such as 3, 5, 10.") from None
    if not maskings or not numbers:
        raise ParameterError("Name at least one method and one k.")
    if len(maskings) * len(numbers) > _MOST:
        raise ParameterError(f"These are {len(maskings) * len(numbers)} attempts; {_MOST} can be tried at once.")
    tried = []
    for masking in maskings:
        own = decisions.with_option("method", as_text(masking.written_method))
        replaced = masking.written_replacement
        own = own.with_option("replace", None if replaced is None else as_text(replaced))
        different = numbers if masking.family.makes_groups else numbers[:1]  # k has no part in perturbation
        tried += [own.with_k(k) for k in different]
    return tried


def _listed(text: str) -> list[str]:
    parts: list[str] = []
    for one in split_outside_brackets(text):  # "vmdav:gamma=0.5,x=1" is one method: what has no name is a parameter
        name = one.partition(":")[0]
        if parts and "=" in one and ":" not in one and "=" in name:
            parts[-1] += f",{one}"
        else:
            parts.append(one)
    return parts
