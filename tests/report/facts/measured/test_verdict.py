"""What came of a release, in one sentence."""

from __future__ import annotations

import shoal
from shoal.report.facts.collect import summarize
from shoal.report.facts.measured.verdict import verdict_on
from shoal.report.publish.shares import Shares


def test_the_verdict_is_one_sentence_with_percentages(census):
    verdict = census.summary("public").verdict
    assert verdict.startswith("Every record is the same as at least 4 others over all 13 released columns; ")
    assert verdict.endswith(f"({census.evaluation.information_loss:.1f} % of the variation).")


def test_without_measures_or_a_promise_it_says_so(census):
    files = (census.release.original, census.release.masked)
    nothing = shoal.evaluate(*files, measures=["il1s"])
    assert verdict_on(nothing, "", Shares(None), 1) == "Two files were compared; nothing was measured."
    loss = shoal.evaluate(*files, measures=["information_loss"])
    assert verdict_on(loss, "", Shares(None), 1) == "Little information is lost (9.1 % of the variation)."


def test_options_do_not_make_the_verdict_milder_in_silence():
    """With groups no record has a nearest one of its own: ties that count nothing would trace nobody."""
    frame = shoal.datasets.households(200, seed=3)[["age", "wage_income", "tax"]]
    files = frame, shoal.protect(frame, 2).data
    options = {"distance_linkage": {"ties": "unique"}}
    measures = ["distance_linkage", "score"]
    plain, changed = (shoal.evaluate(*files, measures=measures, options=given) for given in (None, options))
    assert changed.distance_linkage == 0 < plain.distance_linkage
    assert verdict_on(changed, "", Shares(None), 1) == verdict_on(plain, "", Shares(None), 1)
    alone = shoal.evaluate(*files, measures=["distance_linkage"], options=options)
    expected = "Hardly any record can be traced (0.0 %, distance_linkage:ties=unique)."
    assert verdict_on(alone, "", Shares(None), 1) == expected


def test_a_public_verdict_names_no_option_of_what_is_not_published():
    frame = shoal.datasets.households(200, seed=3)[["age", "wage_income", "tax"]]
    release = shoal.protect(frame, 5, seed=1)
    evaluation = release.evaluate(options={"transparency_attack": {"known": 1}})
    assert "transparency_attack:known=1" in summarize(release, "internal", evaluation).verdict
    assert "known" not in summarize(release, "public", evaluation).verdict
