"""What pages show of what programs print is compared with it, word for word (`test_examples.py`); this is how."""

from __future__ import annotations

from itertools import pairwise

import pytest

from book.pages import PAGES, ROOT, TEXT, examples_of
from book.printed import Printed, shows

PRINTED = Printed("k      5: every record\nunique 0 of 9\ncost   14.5 %\n", "shoal: warning: weights differ\n")

# The guides that can be followed word for word show what comes out; so do README and quickstart.
SHOWING = {
    "README.md": 1,
    "docs/quickstart.md": 3,
    "docs/how-to/business-survey.md": 9,
    "docs/how-to/categories.md": 5,
    "docs/how-to/chain.md": 2,
    "docs/how-to/compare.md": 1,
    "docs/how-to/from-sdcmicro.md": 3,
    "docs/how-to/household-survey.md": 11,
    "docs/how-to/key-risk.md": 2,
    "docs/how-to/missing.md": 3,
    "docs/how-to/stata-hour.md": 3,
    "docs/how-to/transparency-statement.md": 3,
    "docs/how-to/writing-rules.md": 8,
}


@pytest.mark.parametrize(
    "text",
    [
        "k 5: every record unique 0 of 9 cost 14.5 %",
        "k  5: every\n       record\nunique  0 of 9\ncost  14.5 %\n",
        "k  5: every record\n...\ncost  14.5 %\n",
        "...\ncost  14.5 %\n",
        "k  5: every record\n...\n",
        "k  5: every record\nshoal: warning: weights differ\nunique  0 of 9\ncost  14.5 %\n",
    ],
)
def test_what_was_printed_is_recognised(text):
    assert shows(text, PRINTED)


@pytest.mark.parametrize(
    "text",
    [
        "k  5: every record\nunique  0 of 9\ncost  14.6 %\n",  # another number
        "k  5: every record\ncost  14.5 %\n",  # a line left out unsaid
        "k  5: every record\nunique  0 of 9\n",  # the last one too
        "k  5: every record\nunique  0 of 9\ncost  14.5 %\nnote  more\n",  # a line too many
        "k  5: every record\nunique  0 of 9\n...\ncost  14.5 %\n",  # nothing was left out there
        "cost  14.5 %\n...\nunique  0 of 9\n",  # another order
        "k  5: every record\n...\n5 %\n",  # half a word
        "k  5: every record\nshoal: warning: weights\nunique  0 of 9\ncost  14.5 %\n",  # half a message
    ],
)
def test_anything_else_is_not(text):
    assert not shows(text, PRINTED)


def test_an_error_is_shown_by_its_message_and_by_no_other():
    refused = Printed(err="shoal: error: k=5 needs 5 records.\n")
    assert shows("shoal: error: k=5\nneeds 5 records.\n", refused)
    assert not shows("shoal: error: k=5 needs 6 records.\n", refused)


def test_the_guides_show_what_comes_out():
    """A block that is no longer behind what prints it would not be compared."""
    shown = {}
    for page in PAGES:
        pairs = pairwise(examples_of(page))
        count = sum(one.language in ("command", "python") and two.language in TEXT for one, two in pairs)
        shown[str(page.relative_to(ROOT))] = count
    assert not {page: count for page, count in SHOWING.items() if shown[page] < count}
