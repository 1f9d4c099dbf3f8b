"""A plan that nobody would write is refused in one line, soon and in little memory."""

from __future__ import annotations

import pytest

import shoal
from command_line import run_shoal
from shoal.errors import PlanError
from shoal.flow.plan import Plan
from shoal.flow.plan_content import content_of


@pytest.fixture
def plan(tmp_path):
    shoal.write_table(shoal.datasets.expenditure(), tmp_path / "in.csv")
    shoal.protect(tmp_path / "in.csv", 3, seed=1).write(tmp_path / "out.csv", plan=tmp_path / "plan.toml")
    return tmp_path / "plan.toml"


TOO_LARGE = {
    "an integer of very many digits": ("k = " + "9" * 100_000, "a number in it is too long"),
    "a negative one": ("k = -" + "9" * 100_000, "a number in it is too long"),
    "a hexadecimal one, which Python reads": ("x = 0x" + "f" * 100_000, "a number in it is too long"),
    "one in a list of lists": ("x = [[1], [0x" + "f" * 100 + "]]", "a number in it is too long"),
    "a key of very many parts": (".".join(["a"] * 100_000) + " = 1", "a key in it has too many parts"),
    "with quotes and blanks": (" . ".join(['"a"', "'b'"] * 50_000) + " = 1", "a key in it has too many parts"),
    "in a header": ("[[ " + ".".join(["a"] * 100_000) + "]]", "a key in it has too many parts"),
    "in an inline table": ("x = {b = 1, " + ".".join(["a"] * 100_000) + " = 1}", "a key in it has too many parts"),
    "lists in lists": ("x = " + "[" * 100_000 + "]" * 100_000, "it is nested too deeply"),
    "tables in tables": ("x = " + "{a=" * 100_000 + "1" + "}" * 100_000, "it is nested too deeply"),
    "fifty megabytes": ("# " + "x" * 50_000_000, "it has more than 16,777,216 bytes"),
}


@pytest.mark.parametrize("case", TOO_LARGE)
def test_what_is_too_large_is_refused(plan, case):
    text, reason = TOO_LARGE[case]
    plan.write_text(text + "\n" + plan.read_text())
    ran = run_shoal("protect", "--plan", plan)
    assert (ran.returncode, ran.stderr) == (2, f'shoal: error: The plan "{plan}" cannot be read: {reason}.\n')


def test_dots_in_values_and_names_are_no_parts_of_a_key(plan):
    name = '"' + "a." * 100 + '"'
    plan.write_text(plan.read_text().replace("[versions]", f"[versions]\n{name} = {name}"))
    assert content_of(plan)["versions"]["a." * 100] == "a." * 100


@pytest.mark.parametrize("content", [b"\xff\xfe\0k", b"k = 3 # caf\xe9", "k = 3".encode("utf-16")])
def test_what_is_not_text_is_refused(plan, content):
    plan.write_bytes(content)
    with pytest.raises(PlanError, match=r"cannot be read: it is not text\.$"):
        Plan.from_toml(plan)


@pytest.mark.parametrize(
    "text", ["a = 1\nsecret: 2", "\x01secret = 1", 'k = 1\ns = "secr\\et"', "s = [secret]", 's = "secret']
)
@pytest.mark.parametrize("what", ["plan", "job"])
def test_what_is_not_toml_is_refused_by_its_line_and_not_quoted(tmp_path, text, what):
    (tmp_path / "file.toml").write_text(text)
    place = r"line [12], column \d+|end of document"
    with pytest.raises(PlanError, match=rf'^The {what} ".*file.toml" is not TOML: .*\(at ({place})\)\.$') as caught:
        content_of(tmp_path / "file.toml", what)
    assert "secr" not in str(caught.value) and "u0001" not in str(caught.value)


@pytest.mark.parametrize("section", ["in", "out"])
def test_a_path_with_nul_in_it_is_refused(plan, section):
    plan.write_text(plan.read_text().replace(f'"{section}.csv"', f'"{section}\\u0000.csv"'))
    ran = run_shoal("protect", "--plan", plan)
    assert ran.returncode == 2
    assert ran.stderr.endswith(f"cannot be used: {section}put.path: no file can have that name.\n")


def test_a_path_that_is_too_long_is_not_there(plan):
    plan.write_text(plan.read_text().replace('"in.csv"', f'"{"x" * 5000}.csv"'))
    ran = run_shoal("protect", "--plan", plan)
    assert (ran.returncode, ran.stderr.count("\n")) == (2, 1)
    assert ran.stderr.endswith("is not there. Say which file to use.\n")
    assert len(ran.stderr) < 2100


def test_half_a_character_is_refused(plan):
    plan.write_text(plan.read_text().replace('"in.csv"', '"\\ud800.csv"'))
    with pytest.raises(PlanError, match="is not TOML: Escaped character is not a Unicode scalar value"):
        Plan.from_toml(plan)
