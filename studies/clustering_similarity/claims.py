"""What the paper says of its figures, in its words, beside what is measured here."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import pandas as pd

from studies.clustering_similarity.repetitions import ALL_SCALED
from studies.clustering_similarity.similarities import ALPHAS, CRISP, CUTS, FCM, FCM2, FUZZY_RAND, JACCARD, NOISE, RAND
from studies.clustering_similarity.similarities import POSSIBILISTIC as FPCM
from studies.clustering_similarity.synthetic_files import COUNTS, FILES, IPSO, REGRESSION
from studies.clustering_similarity.tables import curve

__all__ = ["claims", "claims_in_the_other_order"]

_HEAD = ["figure", "the paper", "here", "agrees"]
_LESS, _MORE = REGRESSION  # fuzzy
_STANDARD_ERRORS = 2  # from which on a difference is called one
Claim = tuple[str, str, str, str]


def claims(rows: pd.DataFrame, differences: pd.DataFrame, correlations: pd.DataFrame) -> pd.DataFrame:
    """Return every statement: its figure, its words, what is measured, and whether they agree."""
    statements = [*_on_figures(rows, differences), *_conclusions(correlations)]
    return pd.DataFrame(statements, columns=_HEAD)


def claims_in_the_other_order(
    rows: pd.DataFrame, differences: pd.DataFrame, rows_here: pd.DataFrame, differences_here: pd.DataFrame
) -> pd.DataFrame:
    """Return every statement on a figure with the columns in the other order, and the verdict in the likely one."""
    statements = pd.DataFrame(_on_figures(rows, differences), columns=_HEAD)
    return statements.assign(**{"agrees in order B": [one[-1] for one in _on_figures(rows_here, differences_here)]})


def _on_figures(rows: pd.DataFrame, differences: pd.DataFrame) -> list[Claim]:
    found = _Values(rows)
    by_file = differences.set_index(["file", "clustering", "measure", "release", "k"])
    statements = [*_loss(found), *_crisp(found), *_cuts(found, by_file), *_fuzzy_rand(found)]
    return [*statements, *_noise(found, by_file), *_shapes(found, by_file)]


class _Values:
    """Means over the repetitions of one order of the columns, by file, clustering, measure and release."""

    def __init__(self, rows: pd.DataFrame) -> None:
        self._loss = rows[rows.measure == "PIL"]
        self._rows = rows[rows.reading == ALL_SCALED]

    def pil(self, file: str, release: str) -> pd.Series:
        return curve(self._loss[self._loss.file == file], release, "", "PIL", 0)

    def over_k(self, file: str, clustering: str, what: str, release: str, alpha: float | None = None) -> pd.Series:
        rows = self._rows[self._rows.file == file]
        if alpha is not None:
            rows = rows[rows.alpha == alpha]
        return curve(rows, release, clustering, what)


def _loss(found: _Values) -> Iterator[Claim]:
    quote = 'information loss of FCRM is "inversely proportional to the number of cluster representatives"'
    for file in FILES:
        ends = {release: found.pil(file, release) for release in REGRESSION}
        text = "; ".join(
            f"{name.removeprefix('regression, ')}: {one[3]:.1f} to {one[30]:.1f}" for name, one in ends.items()
        )
        falls = all(one[3] > 1.5 * one[30] for one in ends.values())
        yield "1", quote, f"{file}, c = 3 to 30, {text}", "as a trend" if falls else "no"


def _crisp(found: _Values) -> Iterator[Claim]:
    quote = 'with c-means "FCRM behaves [...] almost as good as IPSO"'
    for number, file in zip(("2", "3"), FILES, strict=True):
        ipso, ours, chance = (found.over_k(file, CRISP, JACCARD, one) for one in ("IPSO-C", _LESS, "at random"))
        better = sum(ours[k] >= ipso[k] for k in COUNTS)
        text = (
            f"{file}: Jaccard at k = 3 {ours[3]:.3f} against {ipso[3]:.3f} of IPSO-C, at k = 30 {ours[30]:.3f} against "
            f"{ipso[30]:.3f}; not lower for {better} of {len(COUNTS)} k (chance at k = 30: {chance[30]:.3f})"
        )
        yield number, quote, text, "yes" if better > len(COUNTS) / 2 else "no"
    rand, chance = (found.over_k("orig4", CRISP, RAND, one) for one in (_LESS, "at random"))
    jaccard = found.over_k("orig4", CRISP, JACCARD, _LESS)
    text = (
        f"orig4: Rand {rand[3]:.2f} to {rand[30]:.2f} while chance goes from {chance[3]:.2f} to {chance[30]:.2f}; "
        f"Jaccard {jaccard[3]:.2f} to {jaccard[30]:.2f}"
    )
    quote = 'whether "the larger the number of clusters, the similarity [...] proportionally increases"'
    yield "2, 3", quote, text, "by chance alone" if jaccard[30] < jaccard[3] else "yes"


def _cuts(found: _Values, by_file: pd.DataFrame) -> Iterator[Claim]:
    for number, file in zip(("4", "5"), FILES, strict=True):
        ipso, ours, chance = (found.over_k(file, FCM2, CUTS, one) for one in ("IPSO-C", _MORE, "at random"))
        text = f"{file}, mean of four alphas: " + ", ".join(
            f"{ours[k]:.3f} against {ipso[k]:.3f} at k = {k}" for k in (9, 15, 30)
        )
        agrees = "yes" if all(ours[k] < 1.2 * ipso[k] for k in COUNTS) else "for small k"
        text += f" (chance: {chance[30]:.3f})"
        yield number, '"similarity between the results [...] with IPSO-C or FCRM"', text, agrees
    quotes = {
        "orig4": 'at c = 3 "the distance is a bit higher" with IPSO-C',
        "orig9": 'at c = 3 "the higher distance is obtained by FCRM"',
    }
    for number, file in zip(("4", "5"), FILES, strict=True):
        higher = [
            str(alpha)
            for alpha in ALPHAS
            if found.over_k(file, FCM2, CUTS, _MORE, alpha)[3] > found.over_k(file, FCM2, CUTS, "IPSO-C", alpha)[3]
        ]
        difference = by_file.loc[(file, FCM2, CUTS, _MORE, 3)]
        text = (
            f"FCRM minus IPSO-C {_signed(difference)}; FCRM higher at "
            f"{'alpha = ' + ', '.join(higher) if higher else 'no alpha'}"
        )
        wanted = -1 if file == "orig4" else 1
        yield number, quotes[file], text, _agrees(difference, wanted)


def _fuzzy_rand(found: _Values) -> Iterator[Claim]:
    for number, file in zip(("6", "7"), FILES, strict=True):
        ipso, ours, chance = (found.over_k(file, FCM, FUZZY_RAND, one) for one in ("IPSO-C", _LESS, "at random"))
        text = f"{file}, k = 30: {ipso[30]:.3f} (IPSO-C) and {ours[30]:.3f}; chance {chance[30]:.3f}"
        agrees = "yes" if max(abs(ipso[30] - 0.8), abs(ours[30] - 0.8)) < 0.05 else "no"
        yield number, '"both IPSO and FCRM converge to FRI values around 0.8"', text, agrees
    for number, file in zip(("6", "7"), FILES, strict=True):
        best = pd.concat([found.over_k(file, FCM, FUZZY_RAND, one) for one in IPSO], axis=1).max(axis=1)
        higher = [int((found.over_k(file, FCM, FUZZY_RAND, one) > best).sum()) for one in REGRESSION]
        text = f"{file}: above all three IPSO for {higher[0]} (m = 1.5) and {higher[1]} (m = 2) of {len(COUNTS)} k"
        agrees = "yes" if min(higher) == len(COUNTS) else "mostly" if min(higher) > len(COUNTS) / 2 else "no"
        yield number, '"FCRM reaches higher FRI values than IPSO"', text, agrees


def _noise(found: _Values, by_file: pd.DataFrame) -> Iterator[Claim]:
    quote = 'noise clustering: "a similar [...] curve", "the higher differences are found when c < 9"'
    for number, file in zip(("8", "9"), FILES, strict=True):
        at = {k: by_file.loc[(file, NOISE, CUTS, _LESS, k)] for k in (3, 6, 9, 30)}
        text = f"{file}, FCRM minus IPSO-C: " + ", ".join(f"{_signed(one)} at k = {k}" for k, one in at.items())
        excess = _larger(at, (3, 6), (9, 30))
        text += f"; mean size for c < 9 minus that for the others {_signed(excess)}"
        yield number, quote, text, _agrees(excess, 1)
    quote = 'both "converge to distances in between 0.5 and 0.1"'
    for number, file in zip(("8", "9"), FILES, strict=True):
        ends = [[found.over_k(file, NOISE, CUTS, one, alpha)[30] for alpha in (0.2, 0.8)] for one in (_LESS, "IPSO-C")]
        ours, ipso = (f"{low:.2f} to {high:.2f}" for low, high in ends)
        text = f"{file}, k = 30, alpha = 0.2 to 0.8: FCRM {ours}, IPSO-C {ipso}"
        yield number, quote, text, "cannot be decided: the paper does not say what a distance is divided by"


def _shapes(found: _Values, by_file: pd.DataFrame) -> Iterator[Claim]:
    for clustering in (FCM, NOISE, FPCM):
        first, last = (by_file.loc[("orig4", clustering, FUZZY_RAND, _LESS, k)] for k in (3, 30))
        text = f"{clustering}: FCRM minus IPSO-C {_signed(first)} at k = 3"
        yield "10", 'orig4: for FCRM "when c = 3 is worse than IPSO-C"', text, _agrees(first, -1)
        text = f"{clustering}: {_signed(last)} at k = 30"
        yield "10", '"for larger c values FCRM obtains slightly better similarities"', text, _agrees(last, 1)


def _conclusions(correlations: pd.DataFrame) -> Iterator[Claim]:
    quotes = {
        FCM: ('the fuzzy Rand index is "inversely proportional" to PIL', -1),
        FCM2: ('the distance of alpha-cuts is "directly proportional" to PIL', 1),
        NOISE: ('the distance of alpha-cuts is "directly proportional" to PIL', 1),
    }
    for clustering, (quote, sign) in quotes.items():
        some = correlations[correlations.clustering == clustering]
        values = some[[name for name in some if name.startswith("k = ")]].to_numpy().ravel()
        strong, wrong = int((sign * values >= 0.9).sum()), int((sign * values < 0).sum())
        text = (
            f"{clustering}: of {len(values)} rank correlations {strong} are {'-' if sign < 0 else ''}0.9 or beyond, "
            f"{wrong} have the other sign"
        )
        yield "-", quote, text, "in direction" if wrong <= len(values) / 8 else "in part"


def _larger(differences: dict[int, pd.Series], these: Sequence[int], those: Sequence[int]) -> pd.Series:
    """Return how much larger differences are at these k than at those, by their mean sizes."""
    parts = [(differences[k], 1 / len(these)) for k in these] + [(differences[k], -1 / len(those)) for k in those]
    size = sum(weight * abs(one["difference"]) for one, weight in parts)
    return pd.Series(
        {"difference": size, "standard error": math.hypot(*(weight * one["standard error"] for one, weight in parts))}
    )


def _signed(difference: pd.Series) -> str:
    return f"{difference['difference']:+.3f} (standard error {difference['standard error']:.3f})"


def _agrees(difference: pd.Series, sign: int) -> str:
    """Return whether a difference has this sign, as far as its standard error lets it be decided."""
    size = sign * difference["difference"] / difference["standard error"]
    if abs(size) < _STANDARD_ERRORS:
        return "cannot be decided"
    return "yes" if size > 0 else "no"
