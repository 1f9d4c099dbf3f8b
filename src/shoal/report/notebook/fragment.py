"""A part of a notebook, made of the parts of a report: it changes nothing around it, fetches nothing, runs nothing."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Collection, Sequence
from functools import cache

from markupsafe import Markup

from shoal.report.page.html import environment
from shoal.report.page.parts import PageCard, PageSection
from shoal.report.wording import printable

__all__ = ["fragment", "scoped"]

# Three times, to count for more than what notebooks say of all tables.
_WITHIN = ".shoal-shown.shoal-shown.shoal-shown"
_PIXELS = 15  # that one rem of the report's style stands for: notebooks have sizes of their own
_RULE = re.compile(r"([^{}@;]+)\{([^{}]*)\}")
_REFERENCE = re.compile(r'( id="| href="#| clip-path="url\(#)')
_shown: Counter[str] = Counter()  # how often the same fragment was drawn


def fragment(
    title: str,
    verdict: str,
    cards: Sequence[PageCard],
    sections: Sequence[PageSection],
    *,
    opened: Collection[str] = (),
    note: str = "",
) -> str:
    """Return the fragment.

    Parameters
    ----------
    title
        What is shown, for readers who cannot see it.
    verdict
        What is said first.
    cards, sections
        As on a page.
    opened
        The identifiers of the sections that are open; a click opens the others.
    note
        What to know before the notebook is passed on.
    """
    drawn = (
        environment()
        .get_template("notebook.html")
        .render(
            title=printable(title),
            style=_style(),
            note=note,
            verdict=printable(verdict),
            cards=cards,
            sections=sections,
            opened=opened,
        )
    )
    return _with_own_identifiers(drawn)


@cache
def _style() -> Markup:
    sheets = [environment().get_template(name).render() for name in ("parts.css", "notebook.css")]
    return Markup("\n".join(scoped(sheet) for sheet in sheets))  # our own files


def scoped(style: str) -> str:
    """Return a style sheet that holds within fragments alone; `&` in a selector is the fragment itself."""
    plain = re.sub(r"/\*.*?\*/", "", style, flags=re.DOTALL)
    within = _RULE.sub(lambda rule: f"\n{_selectors(rule[1])} {{{rule[2]}}}", plain)
    sized = re.sub(r"(\d*\.?\d+)rem", lambda size: f"{float(size[1]) * _PIXELS:g}px", within)
    return re.sub(r"\s*\n\s*", "\n", sized).strip()


def _selectors(listed: str) -> str:
    selectors = [one.strip() for one in listed.split(",")]
    return ", ".join(one.replace("&", _WITHIN) if "&" in one else f"{_WITHIN} {one}" for one in selectors)


def _with_own_identifiers(drawn: str) -> str:
    """Give identifiers a beginning that no other fragment of the notebook has, and this one has if drawn again.

    Text in a fragment is escaped, so that whatever looks like a tag is one.
    """
    digest = hashlib.sha256(drawn.encode("utf-8", "replace")).hexdigest()[:8]
    _shown[digest] += 1
    own = f"shoal-{digest}-{_shown[digest]}-"
    return re.sub(r"<[^<>]+>", lambda tag: _REFERENCE.sub(rf"\g<1>{own}", tag[0]), drawn)
