"""The sections on key variables say what the facts say, and names of the data are text in them."""

from __future__ import annotations

from lxml import html

from shoal.report.facts.keys.key_facts import (
    KeyCountFacts,
    KeyRiskFacts,
    RecodeFacts,
    RiskyRecordFacts,
    ToldFacts,
    TransitionFacts,
)
from shoal.report.page.html import report_html

BAD = "<script>alert(1)</script>"
TOLD = ToldFacts(column=BAD, values=1, alike=12, distance=0.25)


def counts(missing: str = "category", **others) -> KeyCountFacts:
    below = {"2": 7, "3": 0, "5": None}
    return KeyCountFacts(missing=missing, combinations=40, k=1, below=below, expected=3.25, **others)


def risk(**others) -> KeyRiskFacts:
    return KeyRiskFacts(keys=["sex", BAD], are_named=False, weights=None, unit=None, after=[counts()], **others)


def page(synthetic, **update) -> html.HtmlElement:
    summary = synthetic.summary("internal").model_copy(update=update)
    return html.document_fromstring(report_html(summary))


def rows(parsed: html.HtmlElement, section: str) -> list[list[str]]:
    lines = parsed.xpath(f"//section[@id='{section}']//tbody/tr")
    return [[cell.text_content().strip() for cell in line] for line in lines]


def test_the_two_files_are_side_by_side(synthetic):
    special = {"suda_records": 7, "suda_largest": 6.0, "confidential": [TOLD]}
    before = [counts(**special, with_units=5.5), counts("wildcard")]
    both = risk(before=before, suda_size=1).model_copy(update={"after": [counts(**special)]})
    parsed = page(synthetic, key_risk=both)
    said = {row[0]: row[1:] for row in rows(parsed, "key-risk")}
    assert said["k, the fewest records that agree"] == ["1", "1"]
    assert said["uniques, which no other record agrees with"] == ["7 (3.50 %)", "7 (3.50 %)"]
    assert said["records that fewer than 3 agree with"] == ["0", "0"]
    assert said["records that fewer than 5 agree with"] == ["not given", "not given"]
    assert said["expected re-identifications"] == ["3.25", "3.25"]
    assert said["the same, if one member gives away the unit"] == ["5.50", ""]
    assert said["records with a SUDA score, sets of up to 1 keys"] == ["7", "7"]
    assert said[f"{BAD}: largest distance"] == ["0.250", "0.250"]
    assert said["as wildcards: k, the fewest records that agree"] == ["1", "1"]
    text = parsed.xpath("//section[@id='key-risk']")[0].text_content()
    assert "no column has the role key" in text and not parsed.xpath("//script")


def test_in_public_there_is_one_column_of_the_release(synthetic):
    parsed = page(synthetic, key_risk=risk(), audience="public")
    assert all(len(row) == 2 for row in rows(parsed, "key-risk"))
    assert "riskiest" not in parsed.xpath("//section/@id")


def test_the_riskiest_records_recodes_and_chances_have_a_table_each(synthetic):
    one = RiskyRecordFacts(record=4085, sample=1, population=100.0, risk=0.0465, with_unit=None, suda=972.0)
    recode = RecodeFacts(column="age", how="bands:width=5", values=(88, 18), below_k=(300, 20))
    together = RecodeFacts(column="", how="", values=None, below_k=(300, 4))
    chances = TransitionFacts(column="sex", categories=["f", BAD], matrix=[[0.75, 0.25], [0.0, 1.0]])
    parsed = page(synthetic, key_risk=risk(riskiest=[one]), recode_effects=[recode, together], transitions=[chances])
    assert rows(parsed, "riskiest") == [["4,085", "1", "100", "0.0465", "972"]]
    assert rows(parsed, "recodes") == [
        ["age", "bands:width=5", "88 to 18", "300 to 20"],
        ["all together", "", "", "300 to 4"],
    ]
    assert rows(parsed, "transitions") == [
        ["sex", "f", "f", "0.7500"],
        ["sex", "f", BAD, "0.2500"],
        ["sex", BAD, BAD, "1.0000"],
    ]
    assert not parsed.xpath("//script")


def test_there_is_no_section_without_facts(synthetic):
    sections = page(synthetic).xpath("//section/@id")
    assert {"key-risk", "riskiest", "recodes", "transitions"}.isdisjoint(sections)
