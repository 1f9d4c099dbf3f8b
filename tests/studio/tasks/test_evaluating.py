"""What the step Evaluate asks: the map, the report, and what an intruder finds."""

from __future__ import annotations

import re

import pandas as pd
import pytest
from lxml import etree

import shoal
from shoal.measure import distance_linkage
from shoal.studio.tasks.evaluating import PlacedAttempt, intruder, report, risk_map
from shoal.studio.tasks.protecting import kept_release
from studio.tasks.kept import kept_attempt

SVG = "{http://www.w3.org/2000/svg}"


def test_every_point_of_the_map_can_be_pressed_and_is_where_it_is_drawn():
    attempts = [
        PlacedAttempt(1, "<b>mine</b> & co", 10.0, 40.0, "microaggregation"),
        PlacedAttempt(4, "other", 60.0, 140.0, "perturbation"),
    ]
    root = etree.fromstring(risk_map({}, attempts, 4, "evaluate-show"))
    assert root.get("role") == "group"  # an image has no buttons in it
    buttons = root.findall(f".//{SVG}g[@role='button']")
    assert [(one.get("data-send"), one.get("data-about-number"), one.get("tabindex")) for one in buttons] == [
        ("evaluate-show", "1", "0"),
        ("evaluate-show", "4", "0"),
    ]
    assert buttons[0].find(f"{SVG}title").text == "Attempt 1, <b>mine</b> & co: risk 10 %, loss 40 %"
    # The points are uses of marks; the middle of each button is one of theirs.
    drawn = {(float(one.get("x")), float(one.get("y"))) for one in root.iter(f"{SVG}use")}
    for button in buttons:
        circle = button.find(f"{SVG}circle")
        x, y = float(circle.get("cx")), float(circle.get("cy"))
        assert min((x - a) ** 2 + (y - b) ** 2 for a, b in drawn) < 1


def test_an_intruder_finds_what_can_be_counted(tmp_path):
    frame = pd.DataFrame({"age": range(20), "pay": [10.0 * row**2 for row in range(20)], "town": list("aabb") * 5})
    source, folder, _ = kept_attempt(tmp_path, frame, 4)
    release, _ = kept_release(folder)
    found = intruder(source, folder, ["age", "town"])
    sizes = release.data.groupby(["age", "town"]).size()
    before = frame.groupby(["age", "town"]).size()
    assert (found.k, found.uniques) == (sizes.min(), (sizes == 1).sum())
    assert (found.k_before, found.uniques_before) == (before.min(), (before == 1).sum())
    assert found.columns == ["age", "town"]
    everything = intruder(source, folder, ["age", "pay", "town"])
    assert everything.linkage == pytest.approx(release.headline["linkage"])
    assert everything.linkage == pytest.approx(float(distance_linkage(frame, release.data)))


def test_the_report_has_its_sections_and_names_are_text_in_it(tmp_path):
    frame = shoal.datasets.households(40, seed=1).rename(columns={"savings": "<img src=x onerror=alert(1)>"})
    source, _, made = kept_attempt(tmp_path, frame, 3, roles={"household_id": "identifier"})
    page = report(source, made["summary"])
    assert "Disclosure scenarios" in page
    assert "Distributions, original and masked" in page
    assert "<img" not in page
    assert not re.search(r"<script|<link|https?://(?!www\.w3\.org|doi\.org)[^\s<]*['\"]", page)
