"""Look through the built pages for what a browser would fetch from elsewhere.

    python docs/check_built.py docs/_build

Scripts, styles, fonts, pictures and frames have to be among the pages; links that a reader follows may lead anywhere.
Ends with exit code 1 and a list where something is loaded from another address, or is not there.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

__all__ = ["loaded_from_elsewhere"]

LOADING = {"script", "img", "iframe", "source", "video", "audio", "embed", "object", "track", "input"}
# Relations of <link> that a browser loads; the others (canonical, next, search) are there for programs that read.
LOADED_LINKS = {"stylesheet", "icon", "preload", "prefetch", "preconnect", "dns-prefetch", "modulepreload", "manifest"}
IN_STYLES = re.compile(r"""url\(\s*['"]?([^'")]+)|@import\s+['"]([^'"]+)""")


def loaded_from_elsewhere(folder: Path) -> list[str]:
    """Return "page: address" for everything that is loaded and is not a file in the folder."""
    found = []
    for page in sorted((*folder.rglob("*.html"), *folder.rglob("*.css"))):
        text = page.read_text(encoding="utf-8")
        for address in _styles(text) if page.suffix == ".css" else _loads(text):
            if not _is_there(address, page, folder):
                found.append(f"{page.relative_to(folder)}: {address}")
    return found


def _loads(text: str) -> list[str]:
    parser = _Loads()
    parser.feed(text)
    return [*parser.addresses, *(one for style in parser.styles for one in _styles(style))]


class _Loads(HTMLParser):
    """Collects the addresses that a page loads, and its styles."""

    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.styles: list[str] = []
        self._in_style = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what a tag loads."""
        values = {name: value or "" for name, value in attrs}
        self._in_style = tag == "style"
        self.styles.append(values.get("style", ""))
        if tag == "link" and LOADED_LINKS & set(values.get("rel", "").split()):
            self.addresses.append(values.get("href", ""))
        if tag in LOADING:
            self.addresses += [values[name] for name in ("src", "data", "poster") if values.get(name)]
            self.addresses += [part.split()[0] for part in values.get("srcset", "").split(",") if part.strip()]

    def handle_endtag(self, tag: str) -> None:
        """Leave a style."""
        self._in_style = False

    def handle_data(self, data: str) -> None:
        """Keep the text of a style."""
        if self._in_style:
            self.styles.append(data)


def _styles(text: str) -> Iterator[str]:
    for one, other in IN_STYLES.findall(re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)):
        yield one or other


def _is_there(address: str, page: Path, folder: Path) -> bool:
    parts = urlsplit(address.strip())
    if parts.scheme == "data" or (not parts.scheme and not parts.netloc and not parts.path):
        return True  # in the page itself
    if parts.scheme or parts.netloc:
        return False
    start = folder if parts.path.startswith("/") else page.parent
    return (start / unquote(parts.path).lstrip("/")).exists()


if __name__ == "__main__":
    problems = loaded_from_elsewhere(Path(sys.argv[1]))
    print("\n".join(problems) or "Every script, style, font and picture is among the pages.")
    sys.exit(bool(problems))
