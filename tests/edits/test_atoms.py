"""What a rule requires, divided into atoms."""

from __future__ import annotations

import pytest

from shoal.edits import parse_rule
from shoal.edits.atoms import Definition, Linear, Opaque, Product, Single, requirements
from shoal.edits.text import printed, read_expression


def atoms_of(text, texts=()):
    """Return the alternatives of every requirement, each atom as a short text."""
    return [
        [[as_text(atom) for atom in alternative] for alternative in one.alternatives]
        for one in requirements(read_expression(text), texts)
    ]


def as_text(atom):
    match atom:
        case Linear(coefficients=coefficients, relation=relation, constant=constant):
            return f"{' '.join(f'{factor:+g}{name}' for name, factor in coefficients.items())} {relation} {constant:g}"
        case Product(exponents=exponents, factor=factor):
            return f"{factor:g} {' '.join(f'{name}^{exponent:g}' for name, exponent in exponents.items())}"
        case Single(source=source) | Opaque(source=source) | Definition(source=source):
            return f"{type(atom).__name__}: {printed(source)}"
    raise AssertionError(atom)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a + b == c", "+1a +1b -1c == 0"),
        ("c >= 2 * (a - 3)", "+2a -1c <= 6"),
        ("a - b / 4 > 1 - a", "-2a +0.25b < -1"),
        ("a - a + b < 3", "+1b < 3"),
        ("a * b == c", "1 a^1 b^1 c^-1"),
        ("a / (2 * b) == c ** 2", "0.5 a^1 b^-1 c^-2"),
        ("-a * b == c", "-1 a^1 b^1 c^-1"),
        ("a in {1, 2}", "Single: a in {1, 2}"),
        ("a is integer", "Single: a is integer"),
        ("a in original", "Single: a in original"),
        ("a ** 2 <= 9", "Single: a ** 2 <= 9"),
        ("a == 'x'", 'Single: a == "x"'),
        ("a * b <= c", "Opaque: a * b <= c"),
        ("a * b + c == 1", "Opaque: a * b + c == 1"),
        ("0 * a * b == c * b", "Opaque: 0 * a * b == c * b"),
        ("10 ** 400 * a * b == c", "Definition: 10 ** 400 * a * b == c"),  # a factor that is too large
    ],
)
def test_a_comparison_is_one_atom(text, expected):
    assert atoms_of(text) == [[[expected]]]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a < 5 and b < 5", [[["+1a < 5"]], [["+1b < 5"]]]),
        ("a < 5 or b < 5", [[["+1a < 5"], ["+1b < 5"]]]),
        ("not (a < 5 or b < 5)", [[["-1a <= -5"]], [["-1b <= -5"]]]),
        ("if a < 5 then b <= c", [[["-1a <= -5"], ["+1b -1c <= 0"]]]),
        ("if a < 5 then b < 1 else c < 1", [[["-1a <= -5"], ["+1b < 1"]], [["+1a < 5"], ["+1c < 1"]]]),
        ("a != 0", [[["+1a < 0"], ["-1a < 0"]]]),
        ("a < 1 or (b < 1 and c < 1)", [[["+1a < 1"], ["+1b < 1", "+1c < 1"]]]),
        ("not (a in {1, 2})", [[["Single: not (a in {1, 2})"]]]),
    ],
)
def test_logic_becomes_requirements_and_alternatives(text, expected):
    assert atoms_of(text) == expected


def test_texts_are_not_compared_by_size():
    assert atoms_of("a == b", texts=["a"]) == [[["Opaque: a == b"]]]
    assert atoms_of("a != b", texts=["a"]) == [[["Opaque: a != b"]]]


def test_too_many_alternatives_are_only_checked():
    few = " or ".join(f"a{number} < 1" for number in range(64))
    assert len(atoms_of(few)[0]) == 64
    assert [[len(one) for one in each] for each in atoms_of(f"{few} or b < 1")] == [[1]]
    assert parse_rule(f"{few} or b < 1").kind == "checked only"


def test_the_variables_of_an_atom_are_in_the_order_of_the_rule():
    (requirement,) = requirements(read_expression("if c < 5 then b * a == d"))
    assert requirement.variables == ("c", "b", "a", "d")
