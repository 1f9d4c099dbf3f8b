"""The expenditure example, Tables 1 to 4: the published values beside ours, misprints marked."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from numpy.typing import NDArray

from shoal.datasets import expenditure
from shoal.partition.fuzzy import FuzzyCMeans
from studies.fuzzy_constraints import published
from studies.fuzzy_constraints.published import ALPHA, NOISES, VARIABLES, A

Doubles = NDArray[np.float64]
EXPONENTS = tuple(round(1.1 + 0.01 * step, 2) for step in range(41))  # m, which the paper does not give


def projected(centres: Doubles) -> Doubles:
    """Return the nearest points that satisfy the rule."""
    return centres - np.outer((centres @ ALPHA - A) / (ALPHA @ ALPHA), ALPHA)


def centres_of(X: Doubles, m: float, start: Doubles, **options: object) -> Doubles:
    """Return the centres that fuzzy c-means reaches from a start."""
    return FuzzyCMeans(len(start), m=m, init=start, max_iter=5000, tol=1e-10, **options).fit(X).cluster_centers_


def table_1() -> pd.DataFrame:
    """Return Table 1 as printed, with the total that the rule gives and the misprint."""
    table = expenditure(misprint=True)
    by_rule = 1.16 * table["exp16"] + 1.07 * table["exp7"]
    wrong = (by_rule - table["total"]).abs() > 0.005
    note = np.where(wrong, "misprint: 16 satisfies the rule", "")
    return table.assign(
        **{"total by the rule": by_rule.round(6), "difference": (by_rule - table["total"]).round(6), "note": note}
    )


def table_2() -> pd.DataFrame:
    """Return Table 2, the noise it has over Table 1, and how far it is from the rule."""
    noisy, original = expenditure(noise=True), expenditure()
    noise = (noisy - original).add_prefix("noise of ")
    return as_printed(noisy.join(noise).assign(**{"off the rule": noisy.to_numpy() @ ALPHA}))


def as_printed(numbers: pd.DataFrame) -> pd.DataFrame:
    """Return numbers with five decimals, as the paper prints them; missing ones are empty."""
    return numbers.map(lambda one: f"{one:.5f}" if isinstance(one, float) and not np.isnan(one) else one)


def nearest_exponents() -> pd.DataFrame:
    """Return the largest difference from the printed centres, over m and for each reading; they are the start."""
    printed, free, held = published.ORIGINAL_CENTRES, published.FREE_CENTRES[1.5], published.CONSTRAINED_CENTRES[1.5]
    noisy = expenditure(noise=True).to_numpy()
    with_16, with_13 = (expenditure(misprint=misprint).to_numpy() for misprint in (False, True))
    rows = []
    for m in EXPONENTS:
        of_13 = centres_of(with_13, m, printed)
        readings = {
            "Table 1 with 16": (centres_of(with_16, m, printed), printed),
            "Table 1 with 13": (of_13, printed),
            "Table 1 with 13, projected": (projected(of_13), printed),
            "Table 2": (centres_of(noisy, m, free), free),
            "Table 2, alternating": (centres_of(noisy, m, held, constraints=(ALPHA, A)), held),
        }
        rows.append({"m": m} | {name: np.abs(one - other).max() for name, (one, other) in readings.items()})
    return pd.DataFrame(rows)


def table_3(m: float) -> pd.DataFrame:
    """Return the centres: as printed, those of the data in Tables 1 and 2 with an m, and the printed ones projected."""
    original, noisy = expenditure().to_numpy(), expenditure(noise=True).to_numpy()
    free = centres_of(noisy, m, published.FREE_CENTRES[1.5])
    held = centres_of(noisy, m, published.CONSTRAINED_CENTRES[1.5], constraints=(ALPHA, A))
    blocks = [
        ("original", {"": published.ORIGINAL_CENTRES, "ours: ": centres_of(original, m, published.ORIGINAL_CENTRES)})
    ]
    for noise in NOISES:
        known = noise == 1.5  # Table 2; the other two files are not printed
        ours = {"ours: ": free} if known else {}
        blocks.append((f"N(0, {noise}), free", {"": published.FREE_CENTRES[noise]} | ours))
        ours = {"ours: ": projected(free), "alternating: ": held} if known else {}
        once = {"projected: ": projected(published.FREE_CENTRES[noise])}
        blocks.append((f"N(0, {noise}), constrained", {"": published.CONSTRAINED_CENTRES[noise]} | once | ours))
    rows = [
        {"data": data, "centre": i + 1}
        | {f"{kind}{name}": matrix[i, j] for kind, matrix in centres.items() for j, name in enumerate(VARIABLES)}
        for data, centres in blocks
        for i in range(4)
    ]
    return as_printed(pd.DataFrame(rows))


def table_4() -> pd.DataFrame:
    """Return the distances to the original centres: as printed, and from the printed centres."""
    kinds = {
        "free": (published.FREE_DISTANCES, published.FREE_CENTRES),
        "constrained": (published.CONSTRAINED_DISTANCES, published.CONSTRAINED_CENTRES),
    }
    rows = []
    for noise in NOISES:
        for kind, (distances, centres) in kinds.items():
            ours = np.linalg.norm(centres[noise] - published.ORIGINAL_CENTRES, axis=1)
            printed = {f"d{i + 1}": str(distance) for i, distance in enumerate(distances[noise])}
            again = {f"ours: d{i + 1}": f"{distance:.7f}" for i, distance in enumerate(ours)}
            rows.append({"noise": noise, "centres": kind} | printed | again)
    return pd.DataFrame(rows)


def exponents_picture(exponents: pd.DataFrame) -> Figure:
    """Draw how near each reading of the data comes to the printed centres, over m."""
    figure = Figure(figsize=(6, 3.6))
    axes = figure.add_subplot()
    for name, style in zip(exponents.columns[1:], ("-", "--", "-.", ":", (0, (3, 1, 1, 1, 1, 1))), strict=True):
        axes.plot(exponents["m"], exponents[name], linestyle=style, label=name)
    axes.set(xlabel="m of fuzzy c-means", ylabel="largest difference from Table 3", ylim=(0, 7))
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8)
    return figure
