"""Rules as Schematron: read from ISO Schematron files and older ones, and written as ISO Schematron."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NoReturn

from lxml import etree

from shoal.edits.checked_records import orders_of
from shoal.edits.expressions import Expression, InOriginal, parts_of
from shoal.edits.ordered_categories import with_places
from shoal.edits.rules import Rule
from shoal.edits.xpath.parsing import ORIGINAL, Lets, element_of, parsed, tokens_in, with_lets
from shoal.edits.xpath.printing import printed_xpath
from shoal.edits.xpath.reading import is_statement, read_statement, read_test
from shoal.errors import ReadError, RuleError
from shoal.read import as_table
from shoal.read.safe_xml import SAFE_PARSER, refuse_doctype

__all__ = ["read_schematron", "schematron_of"]

_ISO = "http://purl.oclc.org/dsdl/schematron"
_NAMESPACES = (_ISO, "http://www.ascc.net/xml/schematron", "")
_XSL = "http://www.w3.org/1999/XSL/Transform"
_LANGUAGES = ("", "xslt", "xslt1", "xslt2", "xslt3", "xpath", "xpath1", "xpath2", "xpath3", "xpath31")

_WITHIN = {"schema": ("let", "pattern"), "pattern": ("let", "rule"), "rule": ("let", "assert", "report")}
_IGNORED = ("title", "p", "ns", "phase", "diagnostics", "properties")
# Attributes that make an element mean something else than what stands in it, unless they have this value.
_NOT_READ = {
    "schema": {"defaultPhase": "#ALL"},
    "pattern": {"abstract": "false", "is-a": "", "documents": ""},
    "rule": {"abstract": "false"},
}

_NAME = re.compile(r"[^\W\d][\w.-]*\Z")
_DOCUMENT = re.compile(r"""\s*(?:fn:)?(?:document|doc)\s*\(\s*("[^"]*"|'[^']*')\s*\)\s*\Z""")
_STEP = r"""[^\W\d][^\s/\[\]()|@*:$,=<>!'"]*"""
_PATH = re.compile(rf"(?:\.?//?)?\s*(?:(?:{_STEP}|\*)\s*//?\s*)*({_STEP})\s*\Z")
_BRACKETS = re.compile(r"""(?P<text>"[^"]*"|'[^']*')|(?P<bracket>[\[\]])|[^"'\[\]]+|["']""")


def read_schematron(content: bytes, source: str) -> list[Rule]:
    """Read the rules of a Schematron file.

    Every assert and every report becomes a rule, named after its pattern. A record fires the first rule of a pattern
    whose context it matches, and no other, so that the conditions of a rule and of those before it become part of
    what it says. A variable that is ``document('...')`` is the original file, which the caller names; no file that the
    rules name is opened.

    Parameters
    ----------
    content
        The file, as bytes.
    source
        The name of the file, for messages.

    Raises
    ------
    RuleError
        The file is not Schematron, or has something in it that shoal does not read; the message names the line.
    """
    try:
        refuse_doctype(content, f'"{source}"')
        root = etree.fromstring(content, etree.XMLParser(**SAFE_PARSER))
    except ReadError as error:
        raise RuleError(str(error)) from None
    except etree.XMLSyntaxError as error:
        raise RuleError(f'"{source}", line {error.lineno}: this is not well-formed XML.') from None
    return _SchematronReader(source, _namespace(root)).read(root)


def schematron_of(rules: Iterable[Rule], data: Any = None) -> str:
    """Write rules as an ISO Schematron document, one pattern a rule.

    The records are expected in elements named Record, as `write_table` writes them. The document names the original
    file as original.xml where a rule needs it.

    Parameters
    ----------
    rules
        What to write.
    data
        The table that the rules are for: a pandas, polars or Arrow table, or the path of a file. Its ordered categories
        are then written out, because XPath compares texts: ``index-of(('low', 'high'), V1)`` is a place in their order.

    Raises
    ------
    RuleError
        A rule cannot be written in XPath 2.0, or has a character in it that XML cannot hold.
    """
    rules = list(rules)
    orders = {} if data is None else orders_of(as_table(data))
    schema = etree.Element(f"{{{_ISO}}}schema", nsmap={None: _ISO}, queryBinding="xslt2")
    if any(isinstance(part, InOriginal) for rule in rules for part in parts_of(rule.expression)):
        _added(schema, "let", name=ORIGINAL, value=f"document('{ORIGINAL}.xml')")
    for rule in rules:
        try:
            pattern = _added(schema, "pattern")
            _added(pattern, "title").text = rule.name or rule.text
            written = printed_xpath(with_places(rule.expression, orders))
            test = _added(_added(pattern, "rule", context="Record"), "assert", test=written)
            test.text = f"This does not hold: {rule.text}"
        except ValueError as error:  # RuleError is one too
            why = error if isinstance(error, RuleError) else "It has a character in it that XML cannot hold."
            raise RuleError(f'The rule "{rule.shown}" cannot be written as Schematron. {why}') from None
    etree.indent(schema)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{etree.tostring(schema, encoding="unicode")}\n'


def _added(parent: Any, tag: str, /, **attributes: str) -> Any:
    return etree.SubElement(parent, f"{{{_ISO}}}{tag}", **attributes)


@dataclass(frozen=True)
class _Condition:
    """The condition under which a rule fires, and its line in the file."""

    test: str  # empty if it always fires
    expression: Expression | None
    line: int


@dataclass
class _SchematronReader:
    """Reads one Schematron document."""

    source: str
    namespace: str
    record: str = ""  # the element that holds a record
    document: str = ""  # the file that stands for the original
    rules: list[Rule] = field(default_factory=list)

    def read(self, root: Any) -> list[Rule]:
        if self.namespace not in _NAMESPACES or _local(root) not in ("schema", "pattern"):
            self._refuse(root, "a Schematron file begins with <schema>")
        if root.get("queryBinding", "").lower() not in _LANGUAGES:
            self._refuse(root, "shoal reads tests in XPath, not in the language that its queryBinding names")
        self._schema(root)
        if not self.rules:
            self._refuse(root, "there is no assert and no report in it")
        return self.rules

    def _schema(self, root: Any) -> None:
        if _local(root) == "pattern":  # a single one, as papers print them
            self._pattern(root, {})
            return
        lets = self._lets(root, {})
        for pattern in self._children(root, "pattern"):
            self._pattern(pattern, lets)

    def _pattern(self, pattern: Any, lets: Lets) -> None:
        lets = self._lets(pattern, lets)
        name = pattern.get("name") or self._title(pattern) or pattern.get("id") or ""
        earlier: list[_Condition] = []
        for rule in self._children(pattern, "rule"):
            condition = self._condition(rule, lets, earlier)
            inner = self._lets(rule, lets)
            for kind in self._children(rule, "assert", "report"):
                self._test(kind, inner, [*earlier, condition], " ".join(name.split()))
            earlier.append(condition)

    def _test(self, element: Any, lets: Lets, conditions: list[_Condition], name: str) -> None:
        own_test = self._attribute(element, "test")
        with self._at(element):
            test = with_lets(own_test, lets)
            read_statement(test)  # an error in it is then reported without the conditions that are added below
            if _local(element) == "report":
                test = f"not({test})"
            *earlier, own = conditions
            fires = [f"not({one.test})" for one in earlier] + ([f"({own.test})"] if own.test else [])
            if fires:
                test = f"if ({' and '.join(fires)}) then ({test}) else true()"
            self.rules.append(Rule(read_test(test), name, self._place(element)))

    def _condition(self, rule: Any, lets: Lets, earlier: list[_Condition]) -> _Condition:
        context = self._attribute(rule, "context")
        with self._at(rule):
            condition = self._fires(rule, context, lets)
        for one in earlier:
            if not one.test or one.expression == condition.expression:
                self._refuse(rule, f"this rule can never fire, because the one in line {one.line} fires before it")
        return condition

    def _fires(self, rule: Any, context: str, lets: Lets) -> _Condition:
        path, predicates = _path_and_predicates(context)
        element = _PATH.match(path)
        if element is None or predicates is None:
            self._refuse(rule, "shoal does not read this context; name the records, as in //Record[V8 < 1115]")
        if self.record not in ("", element[1]):
            self._refuse(rule, "records are called otherwise before this line; give rules for one kind of records")
        self.record = element[1]
        tests = [with_lets(predicate, lets) for predicate in predicates]
        for test in tests:
            if not is_statement(parsed(test)):
                self._refuse(rule, "a condition in brackets must compare something, as in [V8 < 1115]")
        whole = tests[0] if len(tests) == 1 else " and ".join(f"({test})" for test in tests)
        stated = read_statement(whole) if tests else True
        if stated is False:
            self._refuse(rule, "this rule can never fire")
        if stated is True:
            return _Condition("", None, rule.sourceline)
        return _Condition(whole, stated, rule.sourceline)

    def _lets(self, parent: Any, outer: Lets) -> Lets:
        own: dict[str, str | None] = {}
        for element in self._children(parent, "let"):
            name, value = self._attribute(element, "name"), self._attribute(element, "value")
            if not _NAME.match(name) or name in own:
                self._refuse(element, "the name of this let is not a name, or is the name of two lets")
            document = _DOCUMENT.match(value)
            if document:
                self._is_original(element, document[1][1:-1])
                own[name] = None
                continue
            with self._at(element):
                text = with_lets(value, {**outer, **own})
                token = parsed(text)
                if _local(parent) != "rule" and any(element_of(one) is not None for one in tokens_in(token)):
                    self._refuse(element, "this let uses a variable of a record outside a rule; move it into the rule")
                own[name] = text
        return {**outer, **own}

    def _is_original(self, element: Any, document: str) -> None:
        if self.document not in ("", document):
            self._refuse(element, "two documents are named; shoal looks values up in the original file only")
        self.document = document

    def _children(self, parent: Any, *wanted: str) -> Iterator[Any]:
        """Yield the children of these names, and refuse those that change the meaning and that shoal does not read."""
        for attribute, harmless in _NOT_READ[_local(parent)].items():
            if parent.get(attribute, harmless) != harmless:
                self._refuse(parent, f'shoal does not read "{attribute}" of <{_local(parent)}>; write every rule out')
        for child in parent:
            if not isinstance(child.tag, str):  # a comment
                continue
            name, namespace = _local(child), _namespace(child)
            if namespace == _XSL:
                self._refuse(child, "shoal does not read XSLT: it runs no programs in rules")
            if namespace != self.namespace or name in _IGNORED:
                continue
            if name not in _WITHIN[_local(parent)]:
                self._refuse(child, f"shoal does not read this element in <{_local(parent)}>; write every rule out")
            if name in wanted:
                yield child

    def _title(self, pattern: Any) -> str:
        titles = pattern.findall(f"{{{self.namespace}}}title" if self.namespace else "title")
        return "".join(titles[0].itertext()).strip() if titles else ""

    def _attribute(self, element: Any, name: str) -> str:
        value = element.get(name)
        if value is None or not value.strip():
            self._refuse(element, f'<{_local(element)}> has no "{name}"')
        return str(value)

    @contextmanager
    def _at(self, element: Any) -> Iterator[None]:
        """Raise a RuleError about a test as one about its place, without the text of the test."""
        try:
            yield
        except RuleError as error:
            raise RuleError(f"{self._place(element)}: {error.why or 'This is no test.'}") from None

    def _place(self, element: Any) -> str:
        return f'"{self.source}", line {element.sourceline}'

    def _refuse(self, element: Any, why: str) -> NoReturn:
        """Raise RuleError; whatever the file is, nothing of it is quoted."""
        raise RuleError(f"{self._place(element)}: {why}.", why=f"{why}.")


def _path_and_predicates(context: str) -> tuple[str, list[str] | None]:
    """Return the path of a context and the conditions in its brackets; None for those if the brackets do not match."""
    path, predicates, depth = "", [], 0
    for matched in _BRACKETS.finditer(context):
        piece = matched.group()
        if matched["bracket"]:
            depth += 1 if piece == "[" else -1
            if depth < 0:
                return path, None
            if depth == 1 and piece == "[":
                predicates.append("")
                continue
            if depth == 0:
                continue
        if depth:
            predicates[-1] += piece
        elif predicates and piece.strip():  # a step after a condition
            return path, None
        elif not predicates:
            path += piece
    return path.strip(), None if depth else predicates


def _local(element: Any) -> str:
    return str(etree.QName(element).localname)


def _namespace(element: Any) -> str:
    return etree.QName(element).namespace or ""
