"""XML documents from anywhere: parsed block by block, nothing in them expanded, fetched or looked up."""

from __future__ import annotations

import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from shoal.errors import ReadError

__all__ = ["SAFE_PARSER", "Target", "parse", "refuse_doctype"]

# The arguments of every lxml parser in shoal: no entity, no file, no address, and libxml2's limits stay on.
SAFE_PARSER: Mapping[str, bool] = {
    "resolve_entities": False,
    "no_network": True,
    "load_dtd": False,
    "dtd_validation": False,
    "attribute_defaults": False,
    "huge_tree": False,
}
BLOCK = 1 << 16  # bytes parsed at a time
LONGEST = 10_000_000  # bytes of one tag or comment


class Target:
    """What `parse` reports to; derive from it, and add ``start``, ``data`` and ``end`` as far as you want to know.

    Parameters
    ----------
    what : str
        What messages call the document.
    """

    finished = False  # whether the rest of the document does not matter

    def __init__(self, what: str) -> None:
        self.what = what

    @property
    def progress(self) -> object:
        """Something that changes as tags and text come in."""
        return None

    def doctype(self, name: str | None, public: str | None, system: str | None) -> None:
        """Refuse a document type declaration, which is where entities and references come from."""
        raise ReadError(f"{self.what} has a document type declaration (DOCTYPE), which shoal does not read. Remove it.")

    def close(self) -> None:
        """Nothing is left to do; lxml calls it."""


def parse(source: bytes | Path, target: Target) -> None:
    """Report a document to the target as it is read; raise ReadError if it is not XML.

    No tree is built. A document type declaration is refused before anything in it is looked at.

    Parameters
    ----------
    source : bytes or Path
        The document, in any encoding that it states itself.
    target : Target
        What is told of tags and text; what it raises ends the reading.
    """
    from lxml import etree

    parser = etree.XMLParser(target=target, collect_ids=False, **SAFE_PARSER)
    unheard = 0
    before = target.progress
    with source.open("rb") if isinstance(source, Path) else io.BytesIO(source) as file:
        try:
            while block := file.read(BLOCK):
                parser.feed(block)
                if target.finished:
                    return
                # libxml2 keeps a tag or comment in memory until its end comes, however long that takes.
                unheard = unheard + len(block) if target.progress == before else 0
                if unheard > LONGEST:
                    raise ReadError(f"{target.what} has a tag or comment of more than {LONGEST:,} bytes.")
                before = target.progress
            parser.close()
        except etree.XMLSyntaxError as error:
            # Not chained: libxml2 may quote the text it stumbled over.
            raise _malformed(target.what, error, etree.ErrorTypes, complete=bool(block)) from None


def refuse_doctype(source: bytes | Path, what: str) -> None:
    """Raise ReadError if a document declares a document type; `what` is what the message calls it.

    The document is read as far as its first tag, by the same parser that will read the rest, so that the two
    cannot disagree on what it says.

    Examples
    --------
    >>> refuse_doctype(b"<schema/>", "rules.sch")
    >>> refuse_doctype(b"<!DOCTYPE schema><schema/>", "rules.sch")
    Traceback (most recent call last):
    shoal.errors.ReadError: rules.sch has a document type declaration (DOCTYPE), which shoal does not read. Remove it.
    """
    parse(source, _Prolog(what))


class _Prolog(Target):
    """Everything before the first tag."""

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        self.finished = True


def _malformed(what: str, error: Any, types: Any, *, complete: bool) -> ReadError:
    encodings = (types.ERR_INVALID_ENCODING, types.ERR_UNKNOWN_ENCODING, types.ERR_UNSUPPORTED_ENCODING)
    if error.code in (*encodings, types.I18N_CONV_FAILED):
        said = "the text is not in the encoding that its first line states, or in UTF-8 if it states none."
        return ReadError(f"{what}, line {error.lineno}: {said}")
    if complete:
        return ReadError(f"{what} is damaged, or not an XML file: line {error.lineno} is not well-formed.")
    return ReadError(f"{what} is not a complete XML file: its end is missing, or a tag is never closed.")
