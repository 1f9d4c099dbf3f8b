"""Long work as a page shows it: how far it is, what ends it, and why it came to nothing."""

from __future__ import annotations

from htmltools import Tag, tags

from shoal.studio.pages.parts import notice, sending_button
from shoal.studio.pages.view import View

__all__ = ["work_of"]


def work_of(view: View, to: str, id: str) -> Tag | None:
    """Return the progress of what is being done, or why the last work came to nothing.

    Parameters
    ----------
    view
        The workspace.
    to, id
        The input that hears of it when "Cancel" is pressed, and the id of that button.
    """
    running = view.running
    if running is None:
        return notice(view.problem, "problem") if view.problem else None
    percent = int(100 * running.part)
    waiting = f", {running.waiting} more after it" if running.waiting else ""
    return tags.div(
        tags.div(
            tags.div(style=f"width: {percent}%", class_="progress-bar"),
            class_="progress",
            role="progressbar",
            aria_label=running.title,
            aria_valuenow=str(percent),
            aria_valuemin="0",
            aria_valuemax="100",
        ),
        tags.span(f"{running.title}: {percent} %{waiting}"),
        sending_button(to, id, "Cancel", "outline-danger"),
        class_="work",
    )
