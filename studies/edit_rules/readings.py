"""Loss, risk and score of a masked file, under every reading of what the paper measured."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.special import ndtr

from shoal import measure


@dataclass(frozen=True)
class Reading:
    """A reading of what the paper measured: on how many columns, and which loss, linkage and intervals."""

    columns: int
    loss: str
    linkage: str
    interval: str


DEFAULT, SUBSETS = "shoal's own", "back, sd"
READINGS = {
    DEFAULT: Reading(16, "PIL", "all", "rank"),
    "V1-V13, sd": Reading(13, "PIL", "all", "sd"),
    "subsets, V1-V16": Reading(16, "PIL", "subsets", "rank"),
    "subsets": Reading(13, "PIL", "subsets", "rank"),
    "subsets, relative": Reading(13, "PIL", "subsets", "relative"),
    "subsets, sd": Reading(13, "PIL", "subsets", "sd"),
    SUBSETS: Reading(13, "PIL", "subsets, back", "sd"),
    "back, sd, deciles": Reading(13, "PIL of deciles", "subsets, back", "sd"),
}
PARTS = ("PIL", "DR", "score")


def deciles_loss(original: pd.DataFrame, masked: pd.DataFrame) -> float:
    """Return PIL with the nine deciles where shoal takes nineteen quantiles, as one public program does."""
    loss = measure.probabilistic_information_loss(original, masked)
    n, losses = len(original), []
    for name in original:
        before, after = np.sort(original[name].to_numpy(float)), np.sort(masked[name].to_numpy(float))
        half = (before[-1] - before[0]) / 1000
        for tenth in range(1, 10):
            place = (n - 1) * tenth // 10
            near = np.count_nonzero(np.abs(before - before[place]) < half)
            error = 2 * half * np.sqrt(n * tenth / 10 * (1 - tenth / 10)) / near
            losses.append(100 * (2 * ndtr(abs(after[place] - before[place]) / error) - 1))
    return float(np.mean([loss.mean, loss.variance, loss.covariance, loss.correlation, np.mean(losses)]))


def one_measure(original: pd.DataFrame, masked: pd.DataFrame, name: str) -> float:
    """Return a measure by the name it has in a reading; linkage over subsets is over those of V1 to V7."""
    match name:
        case "PIL":
            return float(measure.probabilistic_information_loss(original, masked))
        case "PIL of deciles":
            return deciles_loss(original, masked)
        case "all":
            return float(measure.distance_linkage(original, masked))
        case "subsets":
            return float(measure.distance_linkage(original, masked, known="subsets"))
        case "subsets, back":
            back = {"known": "subsets", "direction": "masked-to-original"}
            return float(measure.distance_linkage(original, masked, **back))
        case _:
            return float(measure.interval_disclosure(original, masked, kind=name))


def read_every_way(original: pd.DataFrame, masked: pd.DataFrame, titles: Iterable[str]) -> dict[str, float]:
    """Return PIL, DR and score under each of these readings that the columns of the file allow."""
    known: dict[tuple[int, str], float] = {}
    row = {}
    for title in titles:
        reading = READINGS[title]
        if reading.columns <= masked.shape[1]:
            files = original.iloc[:, : reading.columns], masked.iloc[:, : reading.columns]
            values = []
            for part in (reading.loss, reading.linkage, reading.interval):
                place = (0 if part.startswith("subsets") else reading.columns, part)
                if place not in known:
                    known[place] = one_measure(*files, part)
                values.append(known[place])
            loss, risk = values[0], (values[1] + values[2]) / 2
            row |= {f"{title}: PIL": loss, f"{title}: DR": risk, f"{title}: score": (loss + risk) / 2}
    return row
