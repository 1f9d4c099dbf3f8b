"""Rules checked on a cluster: the same counts, numbers of records and values as in memory."""

from __future__ import annotations

import pandas as pd
import pytest

import shoal
from folders_of_parts import persons, write_parts
from shoal.edits import check, schematron_of
from shoal.errors import RuleError
from shoal.scale.measured.check import check_parts

RULES = ["rent <= income", "age >= 18 or level == 'low'", "level <= 'mid'", "sex in ('m', 'f')", "age > -1"]


@pytest.mark.parametrize("chunk_rows", [70, 1000])
def test_counts_are_those_of_the_whole_file(chunk_rows, cluster, tmp_path):
    table = persons(400)
    source = write_parts(table, tmp_path / "in", [150, 151])
    found = check_parts(source, RULES, cluster, first=7, values=True, chunk_rows=chunk_rows)
    expected = check(pd.read_parquet(source), RULES, first=7, values=True)
    assert found.to_dict() == expected.to_dict()
    assert not found.holds


def test_rules_of_a_schematron_file_are_checked(cluster, tmp_path):
    table = persons(300)
    source = write_parts(table, tmp_path / "in", [100])
    rules = tmp_path / "rules.sch"
    rules.write_text(schematron_of(shoal.read_edits(["rent <= income", "age >= 18"])))
    assert check_parts(source, rules, cluster).to_dict() == check(table, rules).to_dict()


def test_values_are_looked_up_in_another_folder(cluster, tmp_path):
    table = persons(300)
    source = write_parts(table, tmp_path / "in", [100])
    known = write_parts(table[table["age"] < 50], tmp_path / "known", [60])
    rules = ["age in original", "level in original"]
    found = check_parts(source, rules, cluster, original=known, chunk_rows=90)
    assert found.to_dict() == check(table, rules, original=pd.read_parquet(known)).to_dict()
    assert found.rules[0].broken == int((table["age"] >= 50).sum())
    with pytest.raises(RuleError, match="needs the original table"):
        check_parts(source, rules, cluster)
    without = write_parts(table[["age"]], tmp_path / "without", [])
    with pytest.raises(RuleError, match="no column of the original table"):
        check_parts(source, rules, cluster, original=without)


def test_a_rule_that_names_no_column_is_refused(cluster, tmp_path):
    source = write_parts(persons(30), tmp_path / "in", [])
    with pytest.raises(RuleError, match="wage"):
        check_parts(source, ["wage > 0"], cluster)
