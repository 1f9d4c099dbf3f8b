"""What a page of the studio may load and run: its own files, and nothing else.

Looser than 'self', because Shiny needs it:

- `script-src` names, by their hashes, the inline scripts that Shiny puts beside its own widgets (a date's picker, a
  sidebar, a card, a dialog, the busy indicator). They are the same in every page. Any other inline script is blocked,
  so that HTML in a name or a label cannot run; so is `eval`, which `ui.panel_conditional` needs: pages do without it.
- `style-src 'unsafe-inline'`: sliders, data grids and layouts are placed by `style` attributes.
- `img-src data:` and `font-src data:`: plots arrive as data, and Bootstrap's signs are data in its style sheet.
- `connect-src ws://`: the page's WebSocket to this host and port, which older browsers do not count as 'self'.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable
from itertools import product

__all__ = ["content_policy", "hashes_of_shiny_scripts"]

_INLINE = re.compile(r"<script(?P<attributes>(?:\s[^>]*)?)>(?P<code>.*?)</script>", re.DOTALL)


def content_policy(host: str, script_hashes: Iterable[str] = ()) -> str:
    """Return the content security policy of a page.

    Parameters
    ----------
    host
        The host and port that the page was asked from; empty for a page that only shows a text.
    script_hashes
        Inline scripts that may run.
    """
    parts = {
        "default-src": "'none'",
        "script-src": " ".join(["'self'", *(f"'{one}'" for one in script_hashes)]) if host else "'none'",
        "style-src": "'self' 'unsafe-inline'",
        "img-src": "'self' data:",
        "font-src": "'self' data:",
        "connect-src": f"'self' ws://{host}" if host else "'none'",
        "form-action": "'self'",
        "frame-ancestors": "'none'",
        "base-uri": "'none'",
    }
    return "; ".join(f"{name} {sources}" for name, sources in parts.items())


def hashes_of_shiny_scripts() -> tuple[str, ...]:
    """Return the hashes of the inline scripts that Shiny's widgets bring along, in the version that is installed.

    They are read off a page of such widgets that holds nothing else, never off a page of the studio.
    """
    from htmltools import HTMLDocument
    from shiny import ui

    widgets = ui.page_fluid(
        ui.layout_sidebar(ui.sidebar(ui.input_date("day", "")), ui.card(full_screen=True)),
        *(ui.busy_indicators.use(spinners=one, pulse=other) for one, other in product((True, False), repeat=2)),
        ui.modal(),
    )
    found = _INLINE.finditer(HTMLDocument(widgets).render()["html"])
    code = {one["code"] for one in found if not re.search(r"\b(src|type)=", one["attributes"])}
    return tuple(sorted(_hash_of(one) for one in code))


def _hash_of(code: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()}"
