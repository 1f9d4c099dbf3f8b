"""Where rules come from: texts, rules that were read before, files; what a single text is taken for."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import shoal
from shoal.edits import check, parse_rule, read_edits, rules_in
from shoal.errors import RuleError

ADD_UP = "a + b == c"
SCHEMATRON = """<schema xmlns="http://purl.oclc.org/dsdl/schematron" queryBinding="xslt2"><pattern>
<rule context="Record"><assert test="number(a) + number(b) = number(c)">do not add up</assert></rule>
</pattern></schema>"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with files of the same rule, which is where the program runs."""
    (tmp_path / "rules.txt").write_text(ADD_UP)
    (tmp_path / "RULES.SCH").write_text(SCHEMATRON)
    (tmp_path / "rules.xml").write_text(SCHEMATRON)
    (tmp_path / "no ending").write_text(ADD_UP)
    (tmp_path / "a == b").write_text(ADD_UP)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "source",
    [ADD_UP, [ADD_UP], (ADD_UP,), "rules.txt", "RULES.SCH", "rules.xml", "no ending", "a == b", Path("rules.txt")],
)
def test_one_function_decides_what_a_source_is(folder, source):
    """`read_edits`, `check` and `protect` take the same text for the same thing."""
    rules = read_edits(source)
    assert [rule.text for rule in rules] == [ADD_UP]
    assert rules_in(source) == rules
    frame = pd.DataFrame({"a": [1.0, 2, 3], "b": [2.0, 1, 2], "c": [3.0, 3, 5]})
    assert [one.rule for one in check(frame, source).rules] == [ADD_UP]
    assert shoal.protect(frame, 3, edits=source).plan.edits == rules


def test_a_rule_that_was_read_is_not_read_again():
    rule = parse_rule(ADD_UP)
    assert read_edits(rule)[0] is read_edits([rule])[0] is rules_in(rule)[0] is rule
    assert shoal.protect(pd.DataFrame({"a": [1.0, 2], "b": [1.0, 2], "c": [2.0, 4]}), 2, edits=rule).plan.edits


def test_no_rules():
    assert rules_in(None) == []
    assert rules_in([]) == []
    with pytest.raises(RuleError, match="Rules are texts, or the path of a file of rules; got NoneType"):
        read_edits(None)


@pytest.mark.parametrize(
    "source", ["rules", "net + == gross", "1 == 1", "", "a\0b", "folder/rules", "a == b\nc == d", "x" * 9999]
)
def test_a_text_that_is_neither_a_rule_nor_a_file_gets_one_line_that_says_both(source):
    with pytest.raises(RuleError, match=r'^".*" is neither a file that exists nor a rule\. ') as caught:
        read_edits(source)
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize("name", ["missing.txt", "missing.SCH", "missing.xml", "a == b.txt"])
def test_a_text_with_the_ending_of_a_file_of_rules_is_a_path(name):
    with pytest.raises(RuleError, match=f'^The rules in "{name}" cannot be read: No such file'):
        read_edits(name)


def test_comments_in_a_file(tmp_path):
    file = tmp_path / "rules.txt"
    file.write_text(
        "# income\n"
        "net + tax == gross\r\n"
        "\n"
        "   # a ` and a \" and a '\r"
        "a <= 2 * b  # twice, not `thrice\n"
        '`no #` == "#1" # `y`\n'
        'x in {\'#\', "it\'s #", "\\"#"}# z'
    )
    assert [rule.text for rule in read_edits(file)] == [
        "net + tax == gross",
        "a <= 2 * b",
        '`no #` == "#1"',
        'x in {"#", "it\'s #", "\\"#"}',
    ]


def test_a_line_that_is_no_rule_is_named(tmp_path):
    file = tmp_path / "rules.txt"
    file.write_text("a == b\n\na b\n")
    with pytest.raises(RuleError, match=r'rules.txt", line 3: The rule cannot be read'):
        read_edits(file)


@pytest.mark.parametrize("content", ["", "\n\n", "# nothing\n   # at all", "\ufeff"])
def test_a_file_without_a_rule(tmp_path, content):
    file = tmp_path / "rules.txt"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(RuleError, match=r'There is no rule in ".*rules.txt"'):
        read_edits(file)


def test_files_that_cannot_be_read(tmp_path):
    file = tmp_path / "rules.txt"
    with pytest.raises(RuleError, match="No such file"):
        read_edits(file)
    with pytest.raises(RuleError, match="No such file"):
        read_edits(tmp_path / "no ending")
    with pytest.raises(RuleError, match="zero byte"):
        read_edits(Path("a\0b"))
    with pytest.raises(RuleError, match="directory"):
        read_edits(tmp_path)
    file.write_bytes("é == 1".encode("latin-1"))
    with pytest.raises(RuleError, match="not a text file in UTF-8"):
        read_edits(file)
    file.write_bytes(b"#" * 5_000_001)
    with pytest.raises(RuleError, match="more than 5 MB"):
        read_edits(file)


@pytest.mark.parametrize("letter", ['"', "'", "`", '"\\', "#", "a"])
def test_a_line_of_millions_of_letters_does_not_hang(tmp_path, letter):
    """Matching the quotes of such a line could take for ever."""
    file = tmp_path / "rules.txt"
    file.write_text(f"a == {letter * (2_000_000 // len(letter))}\nb == 1")
    with pytest.raises(RuleError, match=r"line 1: A rule has 2,000,005 letters"):
        read_edits(file)
    file.write_text(f"# {letter * (2_000_000 // len(letter))}\nb == 1")
    assert [rule.text for rule in read_edits(file)] == ["b == 1"]


FOREIGN = {
    "passwd": "root:x:0:0:root:/root:/bin/bash\ndaemon:x:1:1::/usr/sbin:/usr/sbin/nologin\n",
    "shadow": "root:$y$j9T$secret$hunter:19700:0:99999:7:::\n",
    ".env": "DATABASE_PASSWORD = hunter2\n",
    ".pgpass": "db.example.org:5432:payroll:admin:hunter2\n",
    "id_ed25519": "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjE\n-----END OPENSSH PRIVATE KEY-----\n",
    ".bashrc": "alias secret='hunter2'\nexport TOKEN=0123hunter\n",
    "settings.json": '{"token": "hunter2", "amount": 007}\n',
    "notes.txt": "if hunter2 then secret\n",
    "amounts.txt": "salary = 0099123\n",
    "letter.txt": "hunter § secret\n",
    "looked-up": "hunter2 in original\n",
    "division": "hunter2 == 7 / 0\n",
    "text": '1 == "hunter2" + 1\n',
    "xpath": "xpath: hunter2(secret) = 7\n",
    "elements": "xpath: hunter2 < secret\n",
    "settings.xml": '<config><token name="secret">hunter2</token></config>',
    "solr.xml": '<schema name="secret">\n<fields><hunter2/></fields></schema>',
    "binding.xml": '<schema queryBinding="hunter2"/>',
    "let.xml": '<schema><let name="hunter2 secret" value="1"/></schema>',
    "context.sch": '<schema><pattern><rule context="hunter2|secret"><assert test="a = 1"/></rule></pattern></schema>',
    "test.sch": '<schema><pattern><rule context="Record"><assert test="hunter2() = secret"/></rule></pattern></schema>',
    "broken.xml": "<config>\n<token>hunter2</secret></config>",
    "doctype.xml": '<!DOCTYPE hunter2 [<!ENTITY secret "hunter2">]><hunter2>&secret;</hunter2>',
}
SECRET = ("hunter", "secret", "root", "daemon", "token", "TOKEN", "salary", "99123", "PRIVATE", "b3Bl", "payroll", "§")


@pytest.mark.parametrize("name", FOREIGN)
def test_nothing_of_a_file_that_holds_no_rules_is_shown(tmp_path, name):
    """Whoever writes a job can name any file that its user can read."""
    (tmp_path / name).write_text(FOREIGN[name])
    frame = pd.DataFrame({"a": [1.0, 2, 3], "b": [2.0, 1, 2]})
    for use in (lambda path: shoal.protect(frame, 3, edits=path), lambda path: check(frame, path)):
        with pytest.raises(RuleError) as caught:
            use(tmp_path / name)
        message = str(caught.value).replace(str(tmp_path / name), "FILE")
        assert message.startswith('"FILE"') and ("line " in message or "DOCTYPE" in message)
        assert not [piece for piece in SECRET if piece in message], message


def test_the_reason_stays_where_it_says_nothing_of_the_file(tmp_path):
    (tmp_path / "rules.txt").write_text("a == b\nif a == 1\n")
    with pytest.raises(RuleError, match=r'rules.txt", line 2: The rule has an "if" without "then"\. Write it like'):
        read_edits(tmp_path / "rules.txt")
    (tmp_path / "rules.txt").write_text("a == b\na == gros\n")
    frame = pd.DataFrame({"a": [1.0, 2, 3], "b": [1.0, 2, 3], "gross": [3.0, 3, 5]})
    with pytest.raises(
        RuleError, match=r'line 2: The rule names something, which is no column. Did you mean "gross"\?'
    ):
        shoal.protect(frame, 3, edits=tmp_path / "rules.txt")


def test_devices_are_no_files_of_rules():
    """Reading one may never end, and opening some of them does something."""
    with pytest.raises(RuleError, match=r'^"/dev/zero" is a device'):
        read_edits(Path("/dev/zero"))
