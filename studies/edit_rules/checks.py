"""How many records of a file break each rule, without any tolerance: as shoal counts, and as Saxon does."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd
from lxml import etree

import shoal
from shoal.edits import check
from studies.edit_rules.maskings import RULES

KINDS = ("EC-LC", "EC-NLC", "EC-PV", "EC-GV", "domain")


def broken_by_shoal(original: pd.DataFrame, masked: pd.DataFrame) -> dict[str, int]:
    statuses = check(masked, RULES, original=original, tolerance=0.0).rules
    return {f"{kind}, shoal": status.broken for kind, status in zip(KINDS, statuses, strict=True)}


def as_xml(frame: pd.DataFrame) -> str:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "microdata.xml")
        shoal.write_table(frame, path)
        return path.read_text(encoding="utf-8")


@cache
def saxon() -> Any:
    """Start Saxon, once a process, and let it open nothing."""
    from saxonche import PySaxonProcessor

    processor = PySaxonProcessor(license=False)
    processor.set_configuration_property("http://saxon.sf.net/feature/allowedProtocols", "")
    return processor


def broken_by_saxon(original: pd.DataFrame, masked: pd.DataFrame) -> dict[str, int]:
    """Count the records for which each test of the Schematron file, read as written, is not true."""
    xpath = saxon().new_xpath_processor()
    before, after = (saxon().parse_xml(xml_text=as_xml(frame)) for frame in (original, masked))
    xpath.declare_variable("original")
    xpath.set_parameter("original", before)
    xpath.set_context(xdm_item=after)
    tests = [one.get("test") for one in etree.parse(RULES).iter("{*}assert")]
    counts = [int(xpath.evaluate_single(f"count(//Record[not({test})])").string_value) for test in tests]
    return {f"{kind}, Saxon": count for kind, count in zip(KINDS, counts, strict=True)}
