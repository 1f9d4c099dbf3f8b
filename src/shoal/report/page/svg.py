"""Figures of matplotlib as SVG that is part of a page: in its colours and its font, no identifier twice.

matplotlib is imported in the functions, to keep start-up quick.
"""

from __future__ import annotations

import io
import re
import threading
import warnings
from typing import TYPE_CHECKING, Any

from lxml import etree

from shoal.report.wording import width_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "INK",
    "MASKED",
    "MUTED",
    "NEGATIVE",
    "ORIGINAL",
    "POSITIVE",
    "RULE",
    "SIZE",
    "new_axes",
    "svg_of",
    "text_width",
]

SIZE = 12.0  # of letters, in pixels

# Colours that stand for a variable of the page's style sheet, so that a figure is light or dark as the page is.
INK, MUTED, RULE, ORIGINAL, MASKED, POSITIVE, NEGATIVE = (f"#00000{number}" for number in range(1, 8))
_VARIABLES = {
    INK: "var(--ink)",
    MUTED: "var(--muted)",
    RULE: "var(--rule)",
    ORIGINAL: "var(--original)",
    MASKED: "var(--masked)",
    POSITIVE: "var(--positive)",
    NEGATIVE: "var(--negative)",
}
_STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "shoal",
    "axes.unicode_minus": True,
    "font.size": SIZE,
    "text.color": INK,
    "axes.edgecolor": RULE,
    "axes.labelcolor": MUTED,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "axes.linewidth": 1,
    "grid.color": RULE,
    "grid.linewidth": 1,
}
_SVG, _LINK = "{http://www.w3.org/2000/svg}", "{http://www.w3.org/1999/xlink}href"
_PLACES = ("d", "x", "y", "width", "height", "transform", "points", "cx", "cy", "r", "rx", "ry")
_drawing = threading.Lock()  # matplotlib has one set of settings for all threads


def new_axes(width: float, height: float, left: float, right: float, top: float, bottom: float) -> tuple[Figure, Axes]:
    """Return a bare figure of so many pixels, and axes inside these margins."""
    import matplotlib
    from matplotlib.figure import Figure

    with _drawing, matplotlib.rc_context(_STYLE):
        figure = Figure(figsize=(width / 72, height / 72), dpi=72)
        axes = figure.add_axes(
            (left / width, bottom / height, (width - left - right) / width, (height - top - bottom) / height)
        )
    figure.patch.set_visible(False)
    axes.patch.set_visible(False)
    for spine in axes.spines.values():
        spine.set_visible(False)
    axes.tick_params(length=0, pad=4)
    return figure, axes


def text_width(text: str, size: float = SIZE) -> float:
    """Return the width of a text in pixels, in a font that is wider than most; letters it lacks count as wide ones."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        width = text_to_path.get_text_width_height_descent(text, FontProperties(size=size), ismath=False)[0]
    return float(width + 0.7 * size * (width_of(text) - len(text)))


def svg_of(figure: Figure, name: str, description: str, *, crisp: bool = False) -> str:
    """Return a figure as an `svg` element.

    Parameters
    ----------
    figure
        The figure.
    name
        The beginning of every identifier in it; no two figures of a page may have the same.
    description
        What the figure shows, for readers who cannot see it.
    crisp
        Whether it is made of squares that touch, between which seams would show otherwise.
    """
    import matplotlib
    from matplotlib.text import Text

    drawn = io.BytesIO()
    for text in figure.findobj(Text):
        text.set_parse_math(False)  # a column may be called "$x$"
    with _drawing, matplotlib.rc_context(_STYLE), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing", category=UserWarning)  # the browser has it
        figure.savefig(drawn, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    root = etree.fromstring(drawn.getvalue(), etree.XMLParser(remove_comments=True, resolve_entities=False))
    _rename(root, name)
    for element in list(root.iter()):
        _plain(element)
    _unwrap(root)
    for attribute in ("width", "height", "version"):
        root.attrib.pop(attribute, None)
    etree.cleanup_namespaces(root)
    if crisp:
        root.set("shape-rendering", "crispEdges")
    root.set("role", "img")
    root.set("aria-label", description)
    written: str = etree.tostring(root, encoding="unicode", with_tail=False)
    return re.sub(r">\s+<", "><", written)


def _rename(root: Any, name: str) -> None:
    """Number the identifiers that are referred to, and remove the others."""
    text = etree.tostring(root, encoding="unicode")
    used = dict.fromkeys(re.findall(r'(?:url\(|href=")#([^)"]+)', text))
    new = {old: f"{name}-{number}" for number, old in enumerate(used, start=1)}
    for element in root.iter():
        if element.get("id") in new:
            element.set("id", new[element.get("id")])
        else:
            element.attrib.pop("id", None)
        for attribute, value in element.attrib.items():
            if "#" in value and attribute != "style" and element.tag != f"{_SVG}text":
                element.set(attribute, re.sub(r"#([^)]+)", lambda match: f"#{new.get(match[1], match[1])}", value))
        if _LINK in element.attrib:
            element.set("href", element.attrib.pop(_LINK))


def _plain(element: Any) -> None:
    """Shorten one element: positions to a tenth of a pixel, colours and font those of the page."""
    for attribute in _PLACES:
        if attribute in element.attrib:
            element.set(attribute, _shorter(element.get(attribute)))
    if element.get("transform", "").startswith("rotate(0 "):
        del element.attrib["transform"]
    parts = [part.strip() for part in element.get("style", "").split(";") if part.strip()]
    kept = [part for part in parts if not part.startswith(("font-family", "stroke-line"))]
    if element.tag == f"{_SVG}style":
        element.getparent().remove(element)
    elif kept:
        style = "; ".join(kept)
        for colour, variable in _VARIABLES.items():
            style = style.replace(colour, variable)
        element.set("style", style)
    else:
        element.attrib.pop("style", None)


def _shorter(places: str) -> str:
    rounded = re.sub(r"-?\d+(?:\.\d+)?(?:e-?\d+)?", lambda match: f"{round(float(match[0]), 1) + 0:g}", places)
    return re.sub(r"\s*([A-Za-z])\s+", r"\1", " ".join(rounded.split())) if places[:1] == "M" else rounded


def _unwrap(root: Any) -> None:
    """Remove groups without attributes, and empty ones."""
    for element in list(root.iter(f"{_SVG}g", f"{_SVG}defs")):
        parent = element.getparent()
        if len(element) == 0:
            parent.remove(element)
        elif element.tag == f"{_SVG}g" and not element.attrib:
            place = parent.index(element)
            for child in reversed(element):
                parent.insert(place, child)
            parent.remove(element)
