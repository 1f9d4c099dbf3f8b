"""What the paper states of hybrid data, in its words, beside what is measured here."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from studies.hybrid_data.alphas import KINDS, ONE_FOR_EACH, largest_singular_value, possible_alphas
from studies.hybrid_data.releases import HYBRID, MS, PLAIN, difference_from_ipso

HEAD = ["where", "the paper", "here", "agrees"]
SUBDOMAINS = {
    "covariances of sub-files": "covariances in random records",
    "third moments of sub-files": "third moments in random records",
    "fourth moments of sub-files": "fourth moments in random records",
    "means of tenths": "means in tenths by AGI",
    "covariances of tenths": "covariances in tenths by AGI",
    "third moments of tenths": "third moments in tenths by AGI",
    "fourth moments of tenths": "fourth moments in tenths by AGI",
}
Claim = tuple[str, str, str, str]


def claims(census: pd.DataFrame, means: pd.DataFrame, unchanged: pd.DataFrame) -> pd.DataFrame:
    """Return every statement: where it stands, its words, what is measured, and whether they agree."""
    by_case = means.set_index(["method", "parameter"])
    rows = [*_lemmas(by_case), *_role_of_k(census, unchanged), *_choice_of_alpha(census), *_comparisons(by_case)]
    return pd.DataFrame(rows, columns=HEAD)


def _lemmas(at: pd.DataFrame) -> Iterator[Claim]:
    exact = [name for name in at if name.startswith("largest of")]
    worst = at.loc[[HYBRID, MS], exact].to_numpy().max()
    quote = '"exactly preserves the mean vector and the covariance matrix"'
    yield "lemma 1", quote, f"off by no more than {worst:.0e} sd, over all k", "yes" if worst < 1e-9 else "no"
    hybrid = at.loc[HYBRID]
    over = hybrid["bound of lemma 2"] / hybrid["third moments"]
    text = f"the bound is {over.min():.0f} to {over.max():.0f} times the difference"
    yield "lemma 2", "third moments differ by at most 2 max(1, B^1.5) for each record", text, "yes, loosely"
    third = hybrid["third moments"]
    falls = int((third.diff().dropna() < 0).sum())
    ends = f"{third.iloc[0]:.3f} at k = 20, {third.iloc[-1]:.3f} at k = 1080"
    text = f"{ends}; at {falls} of {len(third) - 1} steps to a larger k the difference falls"
    yield (
        "3.3",
        '"the lower the intra-cluster variance, the more approximately" third moments are kept',
        text,
        "as a trend",
    )


def _role_of_k(census: pd.DataFrame, unchanged: pd.DataFrame) -> Iterator[Claim]:
    by_k = unchanged.set_index("k").unchanged
    counts = ", ".join(f"{by_k[k]} at k = {k}" for k in (2, 9, 10, 11, 12, 18, 23))
    text = f"of 1080 records released unchanged: {counts}"
    yield "3.1", "k must be at least |X| + 2|Y| + 1, here 23", text, "less is enough; meant is 2|X| + |Y| + 1, here 18"
    apart = difference_from_ipso(census)
    text = f"k = 1080 and IPSO with the same seed differ by {'nothing' if apart == 0 else f'{apart:.0e} sd at most'}"
    yield "3.1", 'k = n "is equivalent to calling IPSO once"', text, "yes" if apart < 1e-9 else "no"


def _choice_of_alpha(census: pd.DataFrame) -> Iterator[Claim]:
    of_kind = possible_alphas(census).set_index(["around", "by at most"])[list(KINDS)]
    quotes = (
        'alpha one number for all: the noise "is positive semidefinite"',
        'unequal numbers: "no guarantee", "it may be necessary to try several values"',
        'a matrix "does not guarantee positive semidefiniteness either"',
    )
    wanted = (lambda least: least == 100, lambda least: least < 100, lambda least: least < 100)
    for kind, quote, is_as_said in zip(KINDS, quotes, wanted, strict=True):
        shares = of_kind[kind]
        text = f"possible: {shares.min():.0f} to {shares.max():.0f} %" if shares.min() < 100 else "possible: all"
        if kind == KINDS[1]:
            largest = largest_singular_value(census, ONE_FOR_EACH)
            numbers = ", ".join(map(str, ONE_FOR_EACH))
            text += " of those around 0.25, 0.5 and 0.75"
            text += f"; {numbers} is not, unless multiplied by {1 / largest:.3f} or less"
        yield "4.1", quote, text, "yes" if is_as_said(shares.min()) else "no"


def _comparisons(at: pd.DataFrame) -> Iterator[Claim]:
    hybrid, plain, ms = (at.loc[name] for name in (HYBRID, PLAIN, MS))
    quote = 'against MS, "approximate preservation" of third and fourth moments'
    for k in (50, 100):
        ours = hybrid.loc[f"k = {k}"]
        alpha = (ms.linkage - ours.linkage).abs().idxmin()  # about the same risk
        theirs = ms.loc[alpha]
        text = "; ".join(
            f"{name}, {one.linkage:.1f} % linked: third {one['third moments']:.3f}, fourth {one['fourth moments']:.3f}"
            for name, one in ((f"k = {k}", ours), (alpha, theirs))
        )
        yield "4.1", quote, text, "yes" if ours["third moments"] < theirs["third moments"] else "no"
        for column, where in SUBDOMAINS.items():
            text = f"{where}: {ours[column]:.3f} at k = {k}, {theirs[column]:.3f} at {alpha}"
            share = ours[column] / theirs[column]
            agrees = "yes" if share < 0.9 else "about the same" if share < 1.1 else "no"
            yield "4.1", 'and "over subdomains", "unlike MS"', text, agrees
    ours, theirs = hybrid.loc["k = 20"], plain.loc["k = 20"]
    quote = '"less information loss than plain multivariate microaggregation"'
    yield (
        "4.2",
        quote,
        f"PIL at k = 20: {ours.PIL:.1f} against {theirs.PIL:.1f}",
        "yes" if ours.PIL < theirs.PIL else "no",
    )
    for k in (20, 100, 1080):
        ours, theirs = hybrid.loc[f"k = {k}"], plain.loc[f"k = {k}"]
        intervals = f"intervals {ours.intervals:.1f} against {theirs.intervals:.1f}"
        text = f"k = {k}: {ours.linkage:.1f} % linked against {theirs.linkage:.1f} %, {intervals}"
        yield (
            "4.2",
            'and disclosure risk "no worse", "slightly lower"',
            text,
            "no" if ours.linkage > theirs.linkage else "yes",
        )
