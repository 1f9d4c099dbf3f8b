"""The map of risk and loss."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pytest
from lxml import etree

from shoal.report.page.risk_loss_map import Mark, Point, draw_map, standalone
from shoal.report.page.svg import SIZE, text_width

FAMILIES = ("microaggregation", "fuzzy", "entropy", "hybrid", "synthetic")
KEY = 380.0  # below this is the key
SVG = "{http://www.w3.org/2000/svg}"


def points(count: int, seed: int = 0) -> list[Point]:
    rng = np.random.default_rng(seed)
    return [Point(*rng.uniform(0, 100, 2), FAMILIES[place % 5]) for place in range(count)]


def parsed(svg: str):
    return etree.fromstring(svg.encode())


def texts_of(root) -> list[tuple[str, tuple[float, float, float, float]]]:
    """Return every text with its box: left, top, right, bottom."""
    found = []
    for element in root.iter(f"{SVG}text"):
        text = "".join(element.itertext())
        if "rotate(-90" in element.get("transform", ""):
            continue  # the name of the upright axis
        x, y = float(element.get("x", 0)), float(element.get("y", 0))
        move = re.match(r"translate\(([-\d.]+)[ ,]+([-\d.]+)\)", element.get("transform", ""))
        if move:
            x, y = x + float(move[1]), y + float(move[2])
        width = text_width(text)
        x -= width / 2 if "middle" in element.get("style", "") else 0
        x -= width if "text-anchor: end" in element.get("style", "") else 0
        found.append((text, (x, y - SIZE * 0.75, x + width, y + SIZE * 0.2)))
    return found


def overlap(one, other) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def marks_of(root) -> list[tuple[float, float]]:
    return [(float(use.get("x")), float(use.get("y"))) for use in root.iter(f"{SVG}use")]


@pytest.mark.parametrize("seed", range(6))
def test_no_label_lies_on_another_or_on_a_point_or_outside(seed):
    rng = np.random.default_rng(seed)
    some = [Point(*rng.uniform([2, 15], [45, 95]), FAMILIES[place % 5]) for place in range(80)]
    chosen, fixed = some[int(rng.integers(80))], some[int(rng.integers(80))]
    said = [
        Mark((chosen.risk, chosen.loss), "chosen", "fuzzy, k=100, m=1.35, m2=1.05, c=360", chosen=True),
        Mark((fixed.risk, fixed.loss), "best fixed choice"),
    ]
    root = parsed(draw_map(some, said, 100.0, 30.0))
    _, _, width, height = map(float, root.get("viewBox").split())
    texts = texts_of(root)
    assert {"chosen", "best fixed choice", "unmasked file", "Pareto front", "risk limit"} <= {text for text, _ in texts}
    for (_, one), (_, other) in itertools.combinations(texts, 2):
        assert not overlap(one, other)
    for _, box in texts:
        assert box[0] >= 0 and box[1] >= 0 and box[2] <= width and box[3] <= height
    inside = [box for text, box in texts if text in ("chosen", "best fixed choice", "unmasked file")]
    for box in inside:
        assert not any(box[0] < x < box[2] and box[1] < y < box[3] for x, y in marks_of(root))


def test_every_release_is_a_mark_where_its_risk_and_loss_are():
    some = [Point(0.0, 0.0, "hybrid"), Point(100.0, 100.0, "hybrid"), Point(25.0, 75.0, "fuzzy")]
    drawn = [mark for mark in marks_of(parsed(draw_map(some, [], None, None))) if mark[1] < KEY]
    (left, low), (x, y), (right, high) = sorted(drawn)
    assert (x - left) / (right - left) == pytest.approx(0.25, abs=0.005)
    assert (low - y) / (low - high) == pytest.approx(0.75, abs=0.005)


def test_the_front_goes_down_in_steps():
    some = [Point(20.0, 60.0, "fuzzy"), Point(40.0, 20.0, "fuzzy"), Point(50.0, 50.0, "fuzzy")]
    root = parsed(draw_map(some, [], None, None))
    (first, second) = [mark for mark in sorted(marks_of(root)) if mark[1] < KEY][:2]
    path = f"M{first[0]:g} {first[1]:g}L{second[0]:g} {first[1]:g}L{second[0]:g} {second[1]:g}"
    assert path in {element.get("d") for element in root.iter(f"{SVG}path")}


def test_every_family_has_its_own_shape_and_colour():
    root = parsed(draw_map(points(20), [], None, None))
    shapes = {use.get("href"): use.get("style") for use in root.iter(f"{SVG}use")}
    assert len({re.search("fill: (#[0-9a-f]+)", style)[1] for style in shapes.values()}) == 5
    drawn = {path.get("id"): path.get("d") for path in root.iter(f"{SVG}path") if path.get("id")}
    assert len({drawn[name.removeprefix("#")] for name in shapes}) == 5


def test_the_map_says_what_it_shows_and_is_the_same_every_time():
    some, said = points(30), [Mark((10.0, 20.0), "chosen", "mdav, k=5", chosen=True)]
    svg = draw_map(some, said, 99.5, None)
    assert svg == draw_map(some, said, 99.5, None)
    label = parsed(svg).get("aria-label")
    assert "30 releases (6 microaggregation, 6 fuzzy" in label
    assert "chosen: mdav, k=5, risk 10.0, loss 20.0" in label
    assert "unmasked file, risk 99.5, loss 0.0" in label
    assert "<image" not in svg and "<script" not in svg


def test_a_map_can_be_a_file_of_its_own():
    alone = standalone(draw_map(points(500), [], 100.0, 20.0))
    assert "var(" not in alone
    assert parsed(alone).get("viewBox")
    assert len(alone) < 150_000


def test_names_are_text():
    svg = draw_map(
        points(5), [Mark((10.0, 20.0), "chosen", "<script>alert(1)</script> & more", chosen=True)], None, None
    )
    assert "<script" not in svg
    assert "alert(1)" in "".join(text for text, _ in texts_of(parsed(svg)))
