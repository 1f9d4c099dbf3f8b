"""The rules of Torra, Cano and Navarro-Arribas (2009), figures 1 to 5, on Census: kept to the last digit."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
from lxml import etree

import shoal
from shoal.edits import check
from shoal.errors import DisclosureWarning

RULES = Path(__file__).with_name("seed_rules.sch")
SIZES = (2, 3, 5, 10, 25, 99)


@pytest.fixture(scope="module")
def census(reference_data):
    """Census as the paper has it: its columns numbered, and three that follow from them."""
    frame = shoal.read_table(reference_data("census.csv"))
    frame = frame[sorted(frame)].set_axis([f"V{number}" for number in range(1, 14)], axis=1)
    income, inverse = frame.V9.astype(float) + frame.V10, 1 / frame.V11
    return frame.assign(V14=income, V15=inverse, V16=frame.V5 * inverse)


@pytest.fixture(scope="module")
def releases(census):
    return {k: shoal.protect(census, k, edits=RULES, seed=0) for k in SIZES}


@pytest.fixture(scope="module")
def broken_by_saxon(census, tmp_path_factory):
    """Counts the records for which Saxon does not find a test true; the tests are texts that shoal has not read."""
    processor = pytest.importorskip("saxonche").PySaxonProcessor(license=False)
    processor.set_configuration_property("http://saxon.sf.net/feature/allowedProtocols", "")
    tests = [one.get("test") for one in etree.parse(RULES).iter("{*}assert")]
    path = tmp_path_factory.mktemp("saxon") / "microdata.xml"

    def parsed(frame):
        shoal.write_table(frame, path)
        return processor.parse_xml(xml_text=path.read_text(encoding="utf-8"))

    original = parsed(census)

    def counted(frame):
        xpath = processor.new_xpath_processor()
        xpath.declare_variable("original")
        xpath.set_parameter("original", original)
        xpath.set_context(xdm_item=parsed(frame))
        return [int(xpath.evaluate_single(f"count(//Record[not({test})])").string_value) for test in tests]

    return counted


def broken_by_shoal(census, frame):
    return [status.broken for status in check(frame, RULES, original=census, tolerance=0.0).rules]


def with_mistakes(census):
    """The file with one to four records that break each rule, the sum and the product by their last digit."""
    frame = census.astype({"V3": float})
    frame.loc[0, "V14"] = np.nextafter(frame.V14[0], np.inf)
    frame.loc[[1, 2], "V16"] = np.nextafter(frame.V16[[1, 2]], -np.inf)
    frame.loc[3, "V3"], frame.loc[4, "V3"] = np.nextafter(7500, np.inf), np.nextafter(0, -1)
    frame.loc[frame.V8 < 1115, "V13"] = frame.V12 + 1
    frame.loc[[5, 6, 7], "V1"] = frame.V1.max() + 1
    return frame, [1, 2, 2, 4, 3]


def test_the_file_has_the_five_kinds_of_rules():
    rules = shoal.read_edits(RULES)
    assert [rule.kind for rule in rules] == ["linear", "product", "possible values", "governs", "value domain"]
    assert [rule.name.split(":")[0] for rule in rules] == [
        "EC-LC",
        "EC-NLC",
        "EC-PV",
        "EC-GV",
        "Value-domain restriction",
    ]
    assert [rule.variables for rule in rules] == [
        ("V9", "V10", "V14"),
        ("V5", "V15", "V16"),
        ("V3",),
        ("V8", "V13", "V12"),
        ("V1",),
    ]


def test_rules_written_into_a_plan_require_what_they_required():
    """A release made from the rules and one made from its plan are the same."""
    for rule in shoal.read_edits(RULES):
        again = shoal.edits.parse_rule(rule.text)
        assert again.requirements == rule.requirements
        assert again == shoal.edits.Rule(rule.expression)


def test_only_four_records_are_governed(census):
    # Fewer than k, for most k: the rule separates them from the others, and they are grouped with the nearest.
    assert np.count_nonzero(census.V8 < 1115) == 4


def test_whole_records_are_k_alike(releases):
    for k, release in releases.items():
        assert release.data.groupby(list(release.data)).size().min() >= k


def test_blocks_by_rules_group_the_variables_of_a_rule_and_the_rest_in_threes(census, releases):
    expected = [
        ["V5", "V15", "V16"],
        ["V8", "V12", "V13"],
        ["V9", "V10", "V14"],
        ["V1", "V2", "V3"],
        ["V4", "V6", "V7"],
        ["V11"],
    ]
    with pytest.warns(DisclosureWarning, match="1,080 of 1,080 are unique"):
        by_rules = shoal.protect(census, 10, edits=RULES, blocks="rules", seed=0)
    assert [list(block) for block in by_rules.plan.blocks] == expected
    assert (by_rules.plan.outcome.uniques, by_rules.plan.outcome.k) == (1080, 1)
    text = by_rules.data.to_csv(index=False)
    assert (
        sha256(text.encode()).hexdigest().startswith("d14752e2cc0364ac")
    )  # the release of this cut before it had a name
    assert broken_by_shoal(census, by_rules.data) == [0] * 5


def test_what_stands_for_a_group_is_chosen_by_the_rules(releases):
    chosen = {name: choice["name"] for name, choice in releases[5].plan.replace.items()}
    assert {name for name, choice in chosen.items() if choice == "geometric-mean"} == {"V5", "V15", "V16"}
    assert {name for name, choice in chosen.items() if choice == "median"} == {"V1"}
    assert set(chosen.values()) == {"mean", "median", "geometric-mean"}


@pytest.mark.parametrize("k", SIZES)
def test_no_record_breaks_a_rule(census, releases, k):
    assert all(partition.k >= k for partition in releases[k].partitions)
    assert broken_by_shoal(census, releases[k].data) == [0] * 5


@pytest.mark.parametrize("k", SIZES)
def test_saxon_finds_no_record_that_breaks_a_rule(releases, broken_by_saxon, k):
    assert broken_by_saxon(releases[k].data) == [0] * 5


def test_mistakes_in_the_last_digit_are_found_by_both(census, broken_by_saxon):
    assert broken_by_shoal(census, census) == broken_by_saxon(census) == [0] * 5
    frame, expected = with_mistakes(census)
    assert broken_by_shoal(census, frame) == expected
    assert broken_by_saxon(frame) == expected
