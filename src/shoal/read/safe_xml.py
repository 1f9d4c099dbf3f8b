"""Parse XML documents from any source safely: no entity is expanded, no file and no address is opened."""

from __future__ import annotations

import io
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import IO, Any

from shoal.errors import ReadError

__all__ = ["SAFE_PARSER", "XmlHandler", "parse", "refuse_doctype"]

# The arguments of every lxml parser in shoal: no entities, no files, no addresses, and libxml2's limits stay on.
SAFE_PARSER: Mapping[str, bool] = {
    "resolve_entities": False,
    "no_network": True,
    "load_dtd": False,
    "dtd_validation": False,
    "attribute_defaults": False,
    "huge_tree": False,
}
BLOCK = 1 << 16  # bytes parsed at a time
LONGEST_TAG = 10_000_000  # bytes of one tag or comment


class XmlHandler:
    """Receives the tags and the text of a document; subclasses add ``start``, ``data`` and ``end`` as they need them.

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
        """A value that changes with every tag and text that comes in."""
        return None

    def doctype(self, name: str | None, public: str | None, system: str | None) -> None:
        """Refuse a document type declaration, which is where entities and references come from."""
        raise ReadError(f"{self.what} has a document type declaration (DOCTYPE), which shoal does not read. Remove it.")

    def close(self) -> None:
        """Do nothing; lxml calls it at the end of a document."""


def parse(source: bytes | Path | IO[bytes], handler: XmlHandler) -> None:
    """Report the tags and the text of a document to a handler as they are read; ReadError if it is not XML.

    No tree is built. A document type declaration is refused before anything in it is used.

    Parameters
    ----------
    source : bytes, Path or open file
        The document, in any encoding that it states itself.
    handler : XmlHandler
        What receives them; an error that it raises ends the reading.
    """
    from lxml import etree  # here, to keep start-up quick

    parser = etree.XMLParser(target=handler, collect_ids=False, **SAFE_PARSER)
    unreported = 0
    before = handler.progress
    with _opened(source) as file:
        try:
            while block := file.read(BLOCK):
                parser.feed(block)
                if handler.finished:
                    return
                # libxml2 keeps a tag or comment in memory until its end comes, however long that takes.
                unreported = unreported + len(block) if handler.progress == before else 0
                if unreported > LONGEST_TAG:
                    raise ReadError(f"{handler.what} has a tag or comment of more than {LONGEST_TAG:,} bytes.")
                before = handler.progress
            parser.close()
        except etree.XMLSyntaxError as error:
            # Not chained: libxml2 may quote the text that it could not read.
            raise _malformed(handler.what, error, etree.ErrorTypes, complete=bool(block)) from None


def _opened(source: bytes | Path | IO[bytes]) -> AbstractContextManager[IO[bytes]]:
    if isinstance(source, Path):
        return source.open("rb")
    return io.BytesIO(source) if isinstance(source, bytes) else nullcontext(source)


def refuse_doctype(source: bytes | Path | IO[bytes], what: str) -> None:
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


class _Prolog(XmlHandler):
    """Everything before the first tag."""

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        self.finished = True


def _malformed(what: str, error: Any, types: Any, *, complete: bool) -> ReadError:
    encodings = (types.ERR_INVALID_ENCODING, types.ERR_UNKNOWN_ENCODING, types.ERR_UNSUPPORTED_ENCODING)
    if error.code in (*encodings, types.I18N_CONV_FAILED):
        problem = "the text is not in the encoding that its first line states, or in UTF-8 if it states none."
        return ReadError(f"{what}, line {error.lineno}: {problem}")
    if complete:
        return ReadError(f"{what} is damaged, or not an XML file: line {error.lineno} is not well-formed.")
    return ReadError(f"{what} is not a complete XML file: its end is missing, or a tag is never closed.")
