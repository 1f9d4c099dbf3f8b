"""Numbers and names as they are read."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.report.wording import (
    compact,
    edge_texts,
    number_text,
    percent_text,
    printable,
    rounded_up,
    shortened,
    value_text,
    whole_text,
    width_of,
    without_capital,
)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (1e-17, "0"),
        (0.123456, "0.123"),
        (12.345, "12.3"),
        (1274.83, "1,274.8"),
        (-2.5, "\N{MINUS SIGN}2.50"),
        (None, "\N{EN DASH}"),
    ],
)
def test_numbers_have_three_significant_digits(value, text):
    assert number_text(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0 %"), (0.1851, "0.19 %"), (9.088, "9.09 %"), (9.999, "10.0 %"), (15.296, "15.3 %"), (99.97, "100 %")],
)
def test_percentages(value, text):
    assert percent_text(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        *((0.0, "0.00"), (1e-9, "0.01"), (0.07, "0.07"), (0.4801, "0.49"), (9.991, "10.00"), (20.1, "20.1")),
        *((20.11, "20.2"), (99.91, "100.0"), (100.2, "101"), (1234567.2, "1,234,568")),
    ],
)
def test_what_holds_at_most_is_rounded_up(value, text):
    assert f"{rounded_up(value):,}" == text


@given(value=st.floats(0, 1e12))
def test_rounding_up_is_never_down_and_once_is_enough(value):
    assert value <= float(rounded_up(value)) <= value * 1.011 + 0.01
    assert rounded_up(float(rounded_up(value))) == rounded_up(value)


def test_values_have_their_unit():
    assert value_text(1080.0, "records") == "1,080"
    assert value_text(36.4317, "") == "36.4"
    assert value_text(16.04, "%") == "16.0 %"


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0"), (2000, "2,000"), (15_000, "15k"), (-250_000, "\N{MINUS SIGN}250k"), (1.5e6, "1.5M"), (0.25, "0.25")],
)
def test_numbers_beside_an_axis_are_short(value, text):
    assert compact(value) == text


@given(
    st.floats(-1e6, 1e6),
    st.floats(1e-6, 1e6).filter(lambda width: width > 1e-6),
    st.integers(2, 40),
)
def test_neighbouring_edges_stay_apart(low, width, bins):
    edges = [low + place * width for place in range(bins + 1)]
    if len(set(edges)) < len(edges) or edges[1] - edges[0] < abs(low) * 1e-4:
        return
    assert len(set(edge_texts(edges))) == len(edges)
    assert len(set(edge_texts(edges, coarse=True))) == len(edges)


@pytest.mark.parametrize("edges", [[1e300, 2e300], [1e16, 1e16 + 2, 1e16 + 2], [0.0, 1e-300], [-1e-13, 0.0]])
def test_edges_beyond_all_bounds_are_written_too(edges):
    assert all(edge_texts(edges)) and all(edge_texts(edges, coarse=True))


def test_coarse_edges_have_three_digits_at_most():
    edges = [137.2 + 10_441.035 * place for place in range(41)]
    assert all(len(re.sub(r"\D", "", text).strip("0")) <= 3 for text in edge_texts(edges, coarse=True))


@given(st.text(max_size=80), st.integers(5, 60))
def test_shortened_names_fit_and_can_be_written(name, most):
    text = shortened(name, most)
    assert width_of(text) <= most
    text.encode("utf-8")
    assert "\n" not in printable(name)


@pytest.mark.parametrize(
    ("sentence", "inside"),
    [("Groups of k", "groups of k"), ("A mean", "a mean"), ("IPSO of a file", "IPSO of a file"), ("", "")],
)
def test_a_sentence_inside_another_begins_small(sentence, inside):
    assert without_capital(sentence) == inside


def test_a_shortened_name_keeps_its_beginning_and_its_end():
    assert shortened("variable_number_253", 12) == "variabl…_253"
    assert shortened("short", 12) == "short"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (6, "6"),
        (1_234_567.0, "1,234,567"),
        (999_999_999, "999,999,999"),
        (1.4954e52, "1.50 \N{MULTIPLICATION SIGN} 10^52"),
    ],
)
def test_whole_numbers_have_their_digits_and_very_large_ones_three(value, text):
    assert whole_text(value) == text
