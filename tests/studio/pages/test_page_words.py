"""What shoal says to somebody who calls it is said to somebody who looks at a page in the page's words."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

import shoal
from shoal.errors import ShoalError
from shoal.studio.pages.page_words import in_page_words


@pytest.mark.parametrize(
    ("message", "said"),
    [
        (
            'missing="fill" cannot keep the rule "a == b".',
            '"Missing values: fill them by the group" cannot keep the rule "a == b".',
        ),
        (
            "dominance=80 (--dominance 80) joins them to others.",
            '"Dominance (%): 80" (in More settings) joins them to others.',
        ),
        (
            "Leave them out, or use drop_unit=True (--drop-unit).",
            'Leave them out, or use "Leave out the column of units" (in More settings).',
        ),
        ('drop it (--role "a b=identifier"), or', "drop it, or"),
        ("""drop it (--role "x (y)=identifier"), or (--kind $'it\\'s (\\n=nominal')""", "drop it, or"),
        ("k=3 needs at least 3 records; the table has 1.", "k=3 needs at least 3 records; the table has 1."),
        ('The rule "income=5" cannot be read.', 'The rule "income=5" cannot be read.'),
    ],
)
def test_arguments_and_options_become_fields(message, said):
    assert in_page_words(message) == said


def test_where_there_is_nothing_to_protect_the_step_is_named():
    with pytest.raises(ShoalError) as caught:
        shoal.protect(pd.DataFrame({"a": [None] * 9}), 3)
    assert in_page_words(str(caught.value)).endswith('Choose the use "protect" for some in the step Variables.')


def test_an_error_about_missing_values_names_the_field_that_mends_it():
    data = pd.DataFrame({"a": np.sqrt(np.arange(20.0)), "b": np.r_[np.nan, np.arange(19.0) ** 2]})
    with pytest.raises(ShoalError) as caught:
        shoal.protect(data, 3)
    said = in_page_words(str(caught.value))
    assert '"Missing values: fill them by the group" (in More settings)' in said
    assert "--" not in said
    assert "missing=" not in said


def test_a_warning_about_kept_missing_values_names_it_too():
    data = pd.DataFrame({"a": np.sqrt(np.arange(20.0)), "b": np.r_[np.nan, np.arange(19.0) ** 2]})
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        shoal.protect(data, 3, missing="keep", seed=1)
    said = [in_page_words(str(one.message)) for one in caught]
    assert any('"Missing values: fill them by the group"' in one for one in said)
    assert not any("--" in one for one in said)
