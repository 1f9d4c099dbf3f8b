"""What came of a release, in one sentence."""

from __future__ import annotations

import shoal
from shoal.report.facts.verdict import verdict_on
from shoal.report.publish.shares import Shares


def test_the_verdict_is_one_sentence_with_percentages(census):
    verdict = census.summary("public").verdict
    assert verdict.startswith("Every protected value stands for at least 5 records; ")
    assert verdict.endswith(f"({census.evaluation.information_loss:.1f} % of the variation).")


def test_without_measures_or_a_promise_it_says_so(census):
    files = (census.release.original, census.release.masked)
    nothing = shoal.evaluate(*files, measures=["il1s"])
    assert verdict_on(nothing, "", Shares(None), 1) == "Two files were compared; nothing was measured."
    loss = shoal.evaluate(*files, measures=["information_loss"])
    assert verdict_on(loss, "", Shares(None), 1) == "Little information is lost (9.1 % of the variation)."
