"""Rules as plain text, one a line: ``net + tax == gross``, ``if age < 15 then wage == 0``, ``town in original``."""

from __future__ import annotations

import ast
import re
from typing import Any, NoReturn, cast

from shoal.edits.expressions import (
    Among,
    Arithmetic,
    Conditional,
    Every,
    Expression,
    InOriginal,
    IsInteger,
    Negative,
    Not,
    NumberLiteral,
    PlaceIn,
    Relation,
    Some,
    Term,
    TermComparison,
    TextLiteral,
    VariableName,
    XPathTest,
)
from shoal.errors import RuleError

__all__ = [
    "MOST_LETTERS",
    "MOST_NESTED",
    "XPATH_PREFIX",
    "printed",
    "printed_number",
    "read_expression",
    "refused",
    "shown",
]

MOST_LETTERS = 10_000
MOST_NESTED = 100
XPATH_PREFIX = "xpath:"  # before a test that only XPath can express

_TOKEN = re.compile(
    r"""(?P<quoted>`(?:[^`]|``)*`)
    | (?P<text>"(?:[^"\\]|\\.)*" | '(?:[^'\\]|\\.)*')
    | (?P<number>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)
    | (?P<word>[^\W\d]\w*)
    | (?P<sign>\*\*|==|!=|<>|<=|>=|[-+*/()<>={},\[\]])
    | (?P<blank>\s+)""",
    re.VERBOSE | re.DOTALL,
)
_ESCAPED = re.compile(r"""\\(?:u([0-9a-fA-F]{4})|([nrt\\"']))""")
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t"}
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_LOGIC = ("and", "or", "not", "in", "is")
_BRANCH = ("if", "then", "else")
_SPELLED = {"=": "==", "<>": "!="}
_RELATIONS: dict[type[ast.cmpop], Relation] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
}
_SIGNS: dict[type[ast.operator], Any] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "**"}
_EXAMPLE = "Write it like: net + tax == gross."


def read_expression(text: str) -> Expression:
    """Read what one line of text says.

    Raises
    ------
    RuleError
        The text is no rule; the message says which part of it is not.
    """
    if len(text) > MOST_LETTERS:
        why = f"A rule has {len(text):,} letters; shoal reads at most {MOST_LETTERS:,}. Write several rules."
        raise RuleError(why, why=why)
    reader = _TextReader(text)
    try:
        return reader.read()
    except (RecursionError, MemoryError, OverflowError):
        raise refused("rule", text, "is nested too deeply, or has too large a number in it.") from None


def shown(text: str) -> str:
    """Return a rule as messages show it: cut to the length of a line, and without control characters."""
    text = " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
    return text if len(text) <= 80 else f"{text[:77]}..."


def refused(what: str, text: str, why: str, *pieces: str) -> RuleError:
    """Return the error for a rule or a test that cannot be read.

    Parameters
    ----------
    what, text
        What it is, "rule" or "test", and how it reads.
    why
        What is wrong, with {} for every piece of the text that is quoted in it.
    *pieces
        These pieces. The error's `why` says "something" in their place.
    """
    told = why.format(*pieces) if pieces else why
    unquoted = why.format(*["something"] * len(pieces)) if pieces else why
    return RuleError(f'The {what} "{shown(text)}" {told}', why=f"The {what} {unquoted}")


class _TextReader:
    """Reads one rule, with Python's parser.

    Names, texts and numbers are replaced by placeholders before, so that none has a meaning to Python.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._leaves: dict[str, VariableName | TextLiteral | NumberLiteral] = {}  # by placeholder
        self._bare: set[str] = set()  # placeholders of names that are not in backquotes

    def read(self) -> Expression:
        pieces = self._pieces()
        expression = self._statement(pieces)
        if pieces:
            self._refuse(f'cannot be read from "{pieces[0]}" on')
        return expression

    def _pieces(self) -> list[str]:
        """Cut the rule at if, then and else; the pieces between them are Python."""
        pieces, depth, place = [""], 0, 0
        while place < len(self._text):
            matched = _TOKEN.match(self._text, place)
            if matched is None:
                self._refuse_letter(self._text[place])
            place = matched.end()
            kind, token = cast(str, matched.lastgroup), matched.group()
            depth += (token in "([{") - (token in ")]}") if kind == "sign" else 0
            if depth > MOST_NESTED:
                self._refuse(f"has more than {MOST_NESTED} brackets within each other")
            if kind == "word" and token in _BRANCH:
                if depth:
                    self._refuse(f'has "{token}" within brackets; if a column is called so, put the name in backquotes')
                pieces += [token, ""]
            elif kind == "blank" or (kind == "word" and token in _LOGIC):
                pieces[-1] += f" {token.strip()} "
            else:
                pieces[-1] += _SPELLED.get(token, token) if kind == "sign" else f" {self._placeholder(kind, token)} "
        return [piece for piece in (piece.strip() for piece in pieces) if piece]

    def _placeholder(self, kind: str, token: str) -> str:
        placeholder = f"v{len(self._leaves)}"
        match kind:
            case "text":
                self._leaves[placeholder] = TextLiteral(_ESCAPED.sub(_unescaped, token[1:-1]))
            case "number":
                if re.match("0[0-9]", token):
                    why = 'has "{}" in it; a number has no zeros before it, and a code goes in quotes'
                    self._refuse(why, token)
                self._leaves[placeholder] = NumberLiteral(float(token))
            case "quoted":
                if token == "``":
                    self._refuse("has an empty name in it")
                self._leaves[placeholder] = VariableName(token[1:-1].replace("``", "`"))
            case _:
                self._leaves[placeholder] = VariableName(token)
                self._bare.add(placeholder)
        return placeholder

    def _statement(self, pieces: list[str]) -> Expression:
        """Read a statement from the pieces, and take it off them."""
        if not pieces:
            self._refuse("ends too early")
        if pieces[0] in ("then", "else"):
            self._refuse(f'has nothing before "{pieces[0]}"')
        if pieces[0] != "if":
            return self._logic(self._parsed(pieces.pop(0)))
        pieces.pop(0)
        condition = self._statement(pieces)
        if not pieces or pieces.pop(0) != "then":
            self._refuse('has an "if" without "then"')
        then = self._statement(pieces)
        otherwise = None
        if pieces and pieces[0] == "else":
            pieces.pop(0)
            otherwise = self._statement(pieces)
        return Conditional(condition, then, otherwise)

    def _parsed(self, piece: str) -> ast.expr:
        try:
            return ast.parse(piece, mode="eval").body
        except (SyntaxError, ValueError):
            self._refuse("cannot be read")

    def _logic(self, part: ast.expr) -> Expression:
        match part:
            case ast.BoolOp(op=op, values=values):
                parts = tuple(self._logic(value) for value in values)
                return Every(parts) if isinstance(op, ast.And) else Some(parts)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return Not(self._logic(operand))
            case ast.Compare(left=left, ops=ops, comparators=comparators):
                sides = [left, *comparators]
                chain = [self._comparison(*each) for each in zip(sides, ops, sides[1:], strict=False)]
                return chain[0] if len(chain) == 1 else Every(tuple(chain))
        self._refuse("must compare something: ==, <=, in, is integer")

    def _comparison(self, left: ast.expr, op: ast.cmpop, right: ast.expr) -> Expression:
        match op:
            case ast.In() | ast.NotIn():
                test: Expression = self._in(self._variable(left), right)
            case ast.Is() | ast.IsNot():
                if self._word(right) != "integer":
                    self._refuse('may say "is integer", but no other "is"')
                test = IsInteger(self._variable(left))
            case _:
                return TermComparison(_RELATIONS[type(op)], self._term(left), self._term(right))
        return Not(test) if isinstance(op, ast.NotIn | ast.IsNot) else test

    def _in(self, variable: VariableName, values: ast.expr) -> Expression:
        if self._word(values) == "original":
            return InOriginal(variable)
        if not isinstance(values, ast.Set | ast.List | ast.Tuple):
            self._refuse('may say "in original" or "in {a, b, c}", but no other "in"')
        if not values.elts:
            self._refuse("has a list without values in it")
        listed: list[NumberLiteral | TextLiteral] = []
        for one in values.elts:
            value = self._term(one)
            match value:
                case VariableName(name=name):
                    listed.append(TextLiteral(name))
                case Negative(term=NumberLiteral(value=number)):
                    listed.append(NumberLiteral(-number))
                case NumberLiteral() | TextLiteral():
                    listed.append(value)
                case _:
                    self._refuse("may list numbers and texts, but no arithmetic")
        return Among(variable, tuple(listed))

    def _variable(self, part: ast.expr) -> VariableName:
        term = self._term(part)
        if not isinstance(term, VariableName):
            self._refuse('needs the name of a column before "in" and "is"')
        return term

    def _word(self, part: ast.expr) -> str | None:
        leaf = self._leaves[part.id] if isinstance(part, ast.Name) and part.id in self._bare else None
        return leaf.name if isinstance(leaf, VariableName) else None

    def _term(self, part: ast.expr) -> Term:
        match part:
            case ast.Name(id=name):
                return self._leaves[name]
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return Negative(self._term(operand))
            case ast.UnaryOp(op=ast.UAdd(), operand=operand):
                return self._term(operand)
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _SIGNS:
                return Arithmetic(_SIGNS[type(op)], self._term(left), self._term(right))
        self._refuse("may compute with +, -, *, / and ** only")

    def _refuse(self, why: str, *pieces: str) -> NoReturn:
        """Raise RuleError; pieces of the rule stand in `why` as {}."""
        raise refused("rule", self._text, f"{why}. {_EXAMPLE}", *pieces)

    def _refuse_letter(self, letter: str) -> NoReturn:
        if letter in "`\"'":
            self._refuse(f"has a {letter} without another one that closes it")
        written = f'"{letter}"' if letter.isprintable() else f"U+{ord(letter):04X}"
        self._refuse("has {} in it, which has no meaning in a rule; put a name that has it in backquotes", written)


def _unescaped(escaped: re.Match[str]) -> str:
    return chr(int(escaped[1], 16)) if escaped[1] else _ESCAPES.get(escaped[2], escaped[2])


_BLANKS = re.compile(r""""[^"]*"|'[^']*'|\s+""")  # those in quotes stay
_PLAIN = re.compile(r"[^\W\d]\w*\Z")
_STRENGTH = {"+": 1, "-": 1, "*": 2, "/": 2, "**": 4}


def printed(expression: Expression) -> str:
    """Write an expression as a line of text that `read_expression` reads back the same."""
    match expression:
        case Conditional(condition=condition, then=then, otherwise=otherwise):
            # An else belongs to the nearest if, so that an if within then would take it.
            inner = _joined(then) if otherwise is not None else printed(then)
            tail = "" if otherwise is None else f" else {printed(otherwise)}"
            return f"if {_joined(condition)} then {inner}{tail}"
        case XPathTest(test=test):
            one_line = _BLANKS.sub(lambda blank: " " if blank[0].isspace() else blank[0], test)
            return f"{XPATH_PREFIX} {one_line.strip()}"
    return _joined(expression)


def _joined(expression: Expression, strength: int = 0) -> str:
    match expression:
        case TermComparison(relation=relation, left=left, right=right):
            return f"{_term(left)} {relation} {_term(right)}"
        case Among(variable=variable, values=values):
            return f"{_term(variable)} in {{{', '.join(_term(value) for value in values)}}}"
        case IsInteger(variable=variable):
            return f"{_term(variable)} is integer"
        case InOriginal(variable=variable):
            return f"{_term(variable)} in original"
        case Not(part=part):
            return f"not ({_joined(part)})"
        case Every(parts=parts):
            return _bracketed(" and ".join(_joined(part, 2) for part in parts), strength > 1)
        case Some(parts=parts):
            return _bracketed(" or ".join(_joined(part, 1) for part in parts), strength > 0)
        case Conditional(condition=condition, then=then, otherwise=otherwise):
            always: Expression = Some((Not(condition), then))
            return _joined(always if otherwise is None else Every((always, Some((condition, otherwise)))), strength)
        case XPathTest(test=test):
            raise RuleError(f'The test "{shown(test)}" can only be written in XPath.')


def _term(term: Term, strength: int = 0) -> str:
    match term:
        case NumberLiteral(value=value):
            return _bracketed(printed_number(value), value < 0 and strength > 0)
        case TextLiteral(value=value):
            escaped = value.replace("\\", "\\\\").replace('"', '\\"')
            return '"' + _UNPRINTABLE.sub(lambda letter: f"\\u{ord(letter[0]):04x}", escaped) + '"'
        case VariableName(name=name):
            is_word = name in (*_LOGIC, *_BRANCH)
            return name if _PLAIN.match(name) and not is_word else f"`{name.replace('`', '``')}`"
        case Negative(term=inner):
            return _bracketed(f"-{_term(inner, 3)}", strength > 0)
        case Arithmetic(sign=sign, left=left, right=right):
            own = _STRENGTH[sign]
            tight = sign == "**"  # binds to the right, the others to the left
            text = f"{_term(left, own + tight)} {sign} {_term(right, own + (not tight))}"
            return _bracketed(text, own < strength)
        case PlaceIn():
            raise RuleError("A place in a list can only be written in XPath.")


def printed_number(value: float) -> str:
    """Write a number as rules in text and in XPath have it: whole ones without a point."""
    return str(int(value)) if float(value).is_integer() and abs(value) < 1e15 else repr(float(value))


def _bracketed(text: str, needed: bool) -> str:
    return f"({text})" if needed else text
