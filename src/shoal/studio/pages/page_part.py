"""A part of a page as an object: what it draws, and what it does when the page sends something."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from shiny import Inputs, Session, reactive, render

from shoal.studio.pages.view import View

__all__ = ["PagePart"]


class PagePart:
    """What all parts have: the inputs of the page, its session, and the workspace as it sees it."""

    def __init__(self, input: Inputs, session: Session, view: View) -> None:
        self._input, self._session, self._view = input, session, view
        self._ns = session.ns

    def _draw(self, *drawn: Callable[[], Any]) -> None:
        """Draw what methods return where the page has an output of their name."""
        for one in drawn:
            render.ui(one)

    def _on(self, name: str, do: Callable[[], Any]) -> None:
        """Do something whenever the page sends something to an input."""
        reactive.effect(reactive.event(self._input[name])(do))
