"""XML documents that mean harm or are broken: a one-line error, soon, in little memory, and no other file is opened."""

from __future__ import annotations

import ctypes
import json
import os
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from shoal.errors import ReadError
from shoal.read import read_table
from shoal.read.safe_xml import refuse_doctype

DOCTYPE = "has a document type declaration (DOCTYPE), which shoal does not read. Remove it."
MALFORMED = "is not well-formed"
INCOMPLETE = "its end is missing, or a tag is never closed"
ENCODING = "not in the encoding"
TOO_LONG = "of more than 10,000,000"
SECRET = "s3cret-of-the-machine"
GOOD = "<M><R><a>1</a></R></M>"


def with_doctype(inside: str, cell: str) -> bytes:
    return f"<!DOCTYPE M {inside}><M><R><a>{cell}</a></R></M>".encode()


def laughs() -> bytes:
    lines = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 12))
    return with_doctype(f'[<!ENTITY l0 "lol">{lines}]', "&l11;")


DOCUMENTS: dict[str, tuple[bytes, str]] = {
    "billion laughs": (laughs(), DOCTYPE),
    "quadratic blow-up": (with_doctype(f'[<!ENTITY a "{"x" * 500_000}">]', "&a;" * 50_000), DOCTYPE),
    "entity of a file": (with_doctype('[<!ENTITY a SYSTEM "file:///etc/hostname">]', "&a;"), DOCTYPE),
    "entity of an address": (with_doctype('[<!ENTITY a SYSTEM "http://127.0.0.1:9/">]', "&a;"), DOCTYPE),
    "parameter entity": (with_doctype('[<!ENTITY % a SYSTEM "file:///etc/hostname"> %a;]', "1"), DOCTYPE),
    "external type": (with_doctype('SYSTEM "http://127.0.0.1:9/x.dtd"', "1"), DOCTYPE),
    "public type": (with_doctype('PUBLIC "-//x//y" "x.dtd"', "1"), DOCTYPE),
    "empty type": (with_doctype("", "1"), DOCTYPE),
    "type after a comment": (b"<?xml version='1.0'?>\n<!-- x -->\n<?y z?>" + with_doctype("[]", "1"), DOCTYPE),
    "type in utf-16": (with_doctype("[]", "1").decode().encode("utf-16"), DOCTYPE),
    "type in utf-16 without a mark": (
        ('<?xml version="1.0" encoding="UTF-16"?>' + with_doctype("[]", "1").decode()).encode("utf-16-be"),
        DOCTYPE,
    ),
    "type in utf-7": (
        b'<?xml version="1.0" encoding="UTF-7"?>+ADwAIQ-DOCTYPE M []>' + GOOD.encode(),
        "",  # refused as a DOCTYPE or, where the system does not know the encoding, for that
    ),
    "type in ebcdic": (
        ('<?xml version="1.0" encoding="IBM037"?>' + with_doctype("[]", "1").decode()).encode("cp037"),
        "",
    ),
    "type after the root": (GOOD.encode() + with_doctype("[]", "1"), MALFORMED),
    "entity out of nowhere": (b"<M><R><a>&b;</a></R></M>", MALFORMED),
    "inclusion as a record": (
        b'<M xmlns:xi="http://www.w3.org/2001/XInclude"><xi:include href="/etc/hostname" parse="text"/></M>',
        'has an attribute, "href"',
    ),
    "inclusion in a variable": (
        b'<M xmlns:xi="http://www.w3.org/2001/XInclude"><R><a><xi:include href="/etc/hostname"/></a></R></M>',
        "has elements in it",
    ),
    "huge value": (b"<M><R><a>" + b"x" * 30_000_000 + b"</a></R></M>", TOO_LONG),
    "huge value of references": (b"<M><R><a>" + b"&#120;" * 10_000_001 + b"</a></R></M>", TOO_LONG),
    "huge comment": (b"<M><!--" + b"x" * 30_000_000 + b"--></M>", TOO_LONG),
    "huge start tag": (b"<M><R " + b"x" * 30_000_000 + b"/></M>", TOO_LONG),
    "huge attribute": (b'<M><R a="' + b"x" * 30_000_000 + b'"/></M>', TOO_LONG),
    "huge first tag": (b"<" + b"M" * 30_000_000 + b"/>", TOO_LONG),
    "deep nesting": (b"<a>" * 100_000 + b"</a>" * 100_000, "has elements in it"),
    "many names": (b"<M><R>" + b"".join(b"<v%d/>" % n for n in range(30_001)) + b"</R></M>", "30,001 columns"),
    "a name a record": (b"<M>" + b"".join(b"<R><v%d/></R>" % n for n in range(100_000)) + b"</M>", "rows and"),
    "cut off in a tag": (b"<M><R><a>1</a></R><R><", INCOMPLETE),
    "cut off in a value": (b"<M><R><a>1", INCOMPLETE),
    "cut off between records": (b"<M><R><a>1</a></R>", INCOMPLETE),
    "cut off at once": (b"<", ""),
    "latin-1 that says nothing": (f"<M><R><a>{SECRET} ñ x</a></R></M>".encode("latin-1"), ENCODING),
    "latin-1 that says utf-8": (
        f'<?xml version="1.0" encoding="UTF-8"?><M><R><a>{SECRET} ñ x</a></R></M>'.encode("latin-1"),
        ENCODING,
    ),
    "utf-8 that says utf-16": (b'<?xml version="1.0" encoding="UTF-16"?>' + GOOD.encode(), ""),
    "an encoding nobody knows": (b'<?xml version="1.0" encoding="no-such"?>' + GOOD.encode(), ENCODING),
    "zero byte": (f"<M><R><a>{SECRET}\0</a></R></M>".encode(), MALFORMED),
    "zero bytes only": (bytes(1000), ""),
    "control character": (f"<M><R><a>{SECRET}\x01</a></R></M>".encode(), MALFORMED),
    "bare less-than": (f"<M><R><a>1 < {SECRET} x</a></R></M>".encode(), MALFORMED),
    "value instead of a tag": (f'<M><R><a>1 <{SECRET} "x</a></R></M>'.encode(), INCOMPLETE),
    "two roots": ((GOOD + GOOD).encode(), MALFORMED),
    "no tags": (b"a,b\n1,2\n", MALFORMED),
    "html": (b"<!doctype html><html><p>x</html>", ""),
}
# Written as files with a hole in them, so that a gigabyte costs nothing.
GIGABYTES = {"gigabyte comment": b"<M><!--", "gigabyte value": b"<M><R><a>", "gigabyte tag": b"<M><R ", "none": b""}

READ_ALL = """
    import json, resource, sys
    from pathlib import Path
    import pandas, pyarrow.compute, lxml.etree
    from shoal.errors import ReadError
    from shoal.read import read_table

    def peak():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024

    resource.setrlimit(resource.RLIMIT_CPU, (100, 100))  # no hang: all of them take a few seconds together
    before = peak()
    said = {}
    for path in sorted(Path(sys.argv[1]).iterdir()):
        try:
            read_table(path)
        except ReadError as error:
            said[path.stem] = [str(error), peak() - before]
    print(json.dumps(said))
    """


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[str, int]]:
    """What reading each document came to, and the megabytes the process had grown by then."""
    folder = tmp_path_factory.mktemp("harm")
    for name, (content, _) in DOCUMENTS.items():
        (folder / f"{name}.xml").write_bytes(content)
    for name, head in GIGABYTES.items():
        with (folder / f"{name}.xml").open("wb") as file:
            file.write(head)
            file.truncate(1 << 30)
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(READ_ALL), str(folder)], capture_output=True, text=True, check=True
    )
    for path in folder.iterdir():
        path.unlink()
    return {name: (text, peak) for name, (text, peak) in json.loads(done.stdout).items()}


@pytest.mark.parametrize("name", [*DOCUMENTS, *GIGABYTES])
def test_a_harmful_or_broken_document_is_one_line_without_a_value(said: dict[str, tuple[str, int]], name: str) -> None:
    assert name in said
    text, _ = said[name]
    assert f"{name}.xml" in text
    assert "\n" not in text
    assert SECRET not in text
    assert DOCUMENTS.get(name, (b"", ""))[1] in text


def test_no_document_takes_much_memory(said: dict[str, tuple[str, int]]) -> None:
    """The bound is on the highest of all; the largest contents here that are not refused early have 30 MB."""
    assert max(peak for _, peak in said.values()) < 300


# What is opened -------------------------------------------------------------------------------------------------


@pytest.fixture
def was_opened(tmp_path: Path) -> Iterator[tuple[Path, Callable[[], bool]]]:
    """A file with a secret, and whether anybody in this process has opened it since the last time it was asked."""
    if not sys.platform.startswith("linux"):
        pytest.skip("needs inotify")
    secret = tmp_path / "secret.txt"
    secret.write_text(SECRET)
    libc = ctypes.CDLL(None, use_errno=True)
    watcher = libc.inotify_init1(os.O_NONBLOCK)
    in_open = 0x20
    assert libc.inotify_add_watch(watcher, os.fsencode(secret), in_open) >= 0

    def opened() -> bool:
        try:
            return bool(os.read(watcher, 4096))
        except BlockingIOError:
            return False

    yield secret, opened
    os.close(watcher)


@pytest.mark.parametrize(
    "document",
    [
        '<!DOCTYPE M [<!ENTITY a SYSTEM "{0}">]><M><R><a>&a;</a></R></M>',
        '<!DOCTYPE M [<!ENTITY % a SYSTEM "{0}"> %a;]><M><R><a>1</a></R></M>',
        '<!DOCTYPE M SYSTEM "{0}"><M><R><a>1</a></R></M>',
        '<!DOCTYPE M PUBLIC "x" "{0}" [<!ATTLIST a b CDATA "c">]><M><R><a>1</a></R></M>',
        '<M xmlns:xi="http://www.w3.org/2001/XInclude"><R><xi:include href="{0}" parse="text"/></R></M>',
        '<M xmlns:xi="http://www.w3.org/2001/XInclude"><R><a><xi:include href="{0}"/></a></R></M>',
        '<?xml-stylesheet type="text/xsl" href="{0}"?><M><R><a>1</a><b/></R></M>',
        '<M xmlns:i="http://www.w3.org/2001/XMLSchema-instance" i:noNamespaceSchemaLocation="{0}"><R><a>1</a></R></M>',
        '<M xml:base="{0}"><R><a>1</a></R></M>',
    ],
)
def test_no_other_file_is_opened(tmp_path: Path, was_opened: tuple[Path, Callable[[], bool]], document: str) -> None:
    secret, opened = was_opened
    for address in (str(secret), secret.as_uri(), "secret.txt"):
        (tmp_path / "t.xml").write_text(document.format(address))
        try:
            assert SECRET not in read_table(tmp_path / "t.xml").to_csv()
        except ReadError as error:
            assert SECRET not in str(error)
    assert not opened()
    secret.read_bytes()
    assert opened()  # the watch works


# Encodings ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("stated", "encoding"),
    [
        (None, "utf-8"),
        (None, "utf-8-sig"),
        ("UTF-8", "utf-8-sig"),
        (None, "utf-16"),
        ("UTF-16", "utf-16"),
        ("UTF-16", "utf-16-le"),
        ("UTF-16", "utf-16-be"),
        ("ISO-8859-1", "latin-1"),
        ("windows-1252", "cp1252"),
    ],
)
def test_encodings_a_document_states(tmp_path: Path, stated: str | None, encoding: str) -> None:
    declaration = "" if stated is None else f'<?xml version="1.0" encoding="{stated}"?>'
    (tmp_path / "t.xml").write_bytes(f"{declaration}<M><R><año>ñandú</año></R></M>".encode(encoding))
    assert read_table(tmp_path / "t.xml").to_dict("list") == {"año": ["ñandú"]}


# refuse_doctype on its own --------------------------------------------------------------------------------------


def test_a_document_without_a_type_passes_whatever_follows_its_first_tag(tmp_path: Path) -> None:
    content = b"<?xml version='1.0'?><!-- <!DOCTYPE x> --><?y <!DOCTYPE x>?><s>" + b"<t/>" * 50_000
    refuse_doctype(content, "rules.sch")
    (tmp_path / "rules.sch").write_bytes(content)
    refuse_doctype(tmp_path / "rules.sch", "rules.sch")


@pytest.mark.parametrize("name", [name for name, (_, message) in DOCUMENTS.items() if message == DOCTYPE])
def test_a_type_is_refused_in_bytes_as_in_files(tmp_path: Path, name: str) -> None:
    content = DOCUMENTS[name][0]
    (tmp_path / "rules.sch").write_bytes(content)
    for source in (content, tmp_path / "rules.sch"):
        with pytest.raises(ReadError) as caught:
            refuse_doctype(source, "The rules")
        assert str(caught.value) == f"The rules {DOCTYPE}"


@pytest.mark.parametrize("content", [b"", b"no tag", b"<!-- only -->", b"<s", b"<!DOCTYPE"])
def test_what_has_no_first_tag_is_not_let_through(content: bytes) -> None:
    with pytest.raises(ReadError, match=r"^The rules is"):
        refuse_doctype(content, "The rules")
