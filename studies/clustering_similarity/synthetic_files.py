"""The two files of the paper, orig4 and orig9, and the synthetic files that are made of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pandas as pd

import shoal

__all__ = ["COUNTS", "FILES", "IPSO", "LIKELY", "ORDERS", "REGRESSION", "OriginalFile", "original_file", "releases"]

# The paper numbers its variables and does not name them. Copies of Census come in two orders.
_ALPHABETICAL = "AFNLWGT AGI EMCONTRB ERNVAL FEDTAX FICA INTVAL PEARNVAL POTHVAL PTOTVAL STATETAX TAXINC WSALVAL"
_OTHER = "AFNLWGT AGI EMCONTRB FEDTAX PTOTVAL STATETAX TAXINC POTHVAL INTVAL PEARNVAL FICA WSALVAL ERNVAL"
ORDERS = {"B": _OTHER.split(), "A": _ALPHABETICAL.split()}
LIKELY = "B"  # the order in which everything is measured; in the other, what the figures of the paper have
_DEPENDENT = {"orig4": (4, 7, 12, 13), "orig9": (1, 3, 4, 6, 7, 9, 11, 12, 13)}
_INDEPENDENT = {"orig4": (1, 2, 3, 5, 6, 8, 9, 10, 11), "orig9": (2, 8, 10)}
# In order A a dependent variable of orig9 is PTOTVAL - PEARNVAL, and these are unchanged: it cannot be rewritten.
_DETERMINED = {("A", "orig9"): "POTHVAL"}

FILES = tuple(_DEPENDENT)
COUNTS = tuple(range(3, 31, 3))  # of models, and of clusters
IPSO = ("IPSO-A", "IPSO-B", "IPSO-C")
REGRESSION = ("regression, m = 1.5", "regression, m = 2")


@dataclass(frozen=True)
class OriginalFile:
    """One of the paper's files: its records, the dependent variables, and those that can be rewritten."""

    records: pd.DataFrame
    dependent: list[str]
    rewritten: list[str]

    def synthetic(self, replace: str, seed: int) -> pd.DataFrame:
        """Return the file with the dependent variables rewritten."""
        count = len(self.records)
        return shoal.protect(self.records, count, replace=replace, confidential=self.rewritten, seed=seed).data


def original_file(census: pd.DataFrame, order: str, name: str) -> OriginalFile:
    """Return orig4 or orig9 with the variables numbered in one of the two orders."""
    names = ORDERS[order]
    dependent = [names[i - 1] for i in _DEPENDENT[name]]
    records = census[[names[i - 1] for i in sorted(_DEPENDENT[name] + _INDEPENDENT[name])]]
    return OriginalFile(records, dependent, [one for one in dependent if one != _DETERMINED.get((order, name))])


def releases() -> Iterator[tuple[str, int, str]]:
    """Yield the name of each synthetic file, its number of models (0: it has none), and its replacement."""
    for name in IPSO:
        yield name, 0, f"ipso:variant={name[-1]}"
    for name, m in zip(REGRESSION, (1.5, 2.0), strict=True):
        for c in COUNTS:
            yield name, c, f"fuzzy-regression:n_clusters={c},m={m}"
