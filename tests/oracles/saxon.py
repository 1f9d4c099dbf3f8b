"""Rules as Schematron, judged by Saxon: another program, which shares no code with shoal."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd
import pytest
from lxml import etree

import shoal

__all__ = ["Saxon"]


class Saxon:
    """Counts the records that break rules; without Saxon the test that asks is skipped.

    Parameters
    ----------
    folder
        Where tables may be written.
    """

    def __init__(self, folder: Path) -> None:
        self._processor = pytest.importorskip("saxonche").PySaxonProcessor(license=False)
        self._processor.set_configuration_property("http://saxon.sf.net/feature/allowedProtocols", "")
        self._path = folder / "release.xml"

    def broken(self, data: pd.DataFrame, rules: Sequence[str], original: pd.DataFrame) -> dict[str, int]:
        """Return how many records break each rule, without any tolerance; rules that hold are not in it.

        Rules that need the original file are left to another judge.
        """
        rules = [rule for rule in rules if "original" not in rule]
        if not rules:
            return {}
        written = shoal.edits.schematron_of([shoal.edits.parse_rule(rule) for rule in rules], original)
        tests = [one.get("test") for one in etree.fromstring(written.encode()).iter("{*}assert")]
        shoal.write_table(data, self._path)
        xpath = self._processor.new_xpath_processor()
        xpath.set_context(xdm_item=self._processor.parse_xml(xml_text=self._path.read_text(encoding="utf-8")))
        counts = {
            rule: int(xpath.evaluate_single(f"count(//Record[not({test})])").string_value)
            for rule, test in zip(rules, tests, strict=True)
        }
        return {rule: count for rule, count in counts.items() if count}
