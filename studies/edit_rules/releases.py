"""Every masked file: both scenarios for k from 1 to 99, the other readings of them for some k."""

from __future__ import annotations

import sys
import warnings
from concurrent.futures import ProcessPoolExecutor, as_completed
from typing import Any

import pandas as pd

from shoal.errors import ShoalWarning
from studies.edit_rules.checks import broken_by_saxon, broken_by_shoal
from studies.edit_rules.maskings import MASKINGS, PAPER, SOME, masked_file
from studies.edit_rules.readings import DEFAULT, READINGS, SUBSETS, read_every_way


def one_release(frame: pd.DataFrame, name: str, k: int, with_saxon: bool) -> dict[str, Any]:
    """Mask, measure and check one file."""
    warnings.simplefilter("ignore", ShoalWarning)
    masked = masked_file(frame, MASKINGS[name], k)
    titles = READINGS if k in SOME else (DEFAULT, SUBSETS)
    row: dict[str, Any] = {"masking": name, "k": k} | read_every_way(frame[list(masked)], masked, titles)
    if name in PAPER:
        row |= broken_by_shoal(frame, masked)
        if with_saxon:
            row |= broken_by_saxon(frame, masked)
    return row


def collect(frame: pd.DataFrame, largest: int, jobs: int, with_saxon: bool) -> pd.DataFrame:
    """Return one row for each masking and k."""
    sizes = {name: range(1, largest + 1) if name in PAPER else [k for k in SOME if k <= largest] for name in MASKINGS}
    rows = []
    with ProcessPoolExecutor(jobs) as pool:
        tasks = [pool.submit(one_release, frame, name, k, with_saxon) for name, ks in sizes.items() for k in ks]
        for done, task in enumerate(as_completed(tasks), 1):
            rows.append(task.result())
            print(f"\r{done} of {len(tasks)} files done", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    order = {name: place for place, name in enumerate(MASKINGS)}
    rows.sort(key=lambda row: (order[row["masking"]], row["k"]))
    return pd.DataFrame(rows)
