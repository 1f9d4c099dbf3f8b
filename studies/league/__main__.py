"""A league table over Census, Tarragona, EIA and testdata: every method and every replacement.

    python -m studies.league

`census.csv`, `tarragona.csv`, `eia.csv` and `testdata.csv` have the releases at k = 5, the lowest score first,
`sizes.csv` the methods at k = 3, 5 and 10 (their losses side by side in `losses.csv`), `refused.csv` what cannot be
done and why. `seconds.csv` and the tables for the page (`*.txt`), which have the seconds too, are the only results that
differ from run to run.
"""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pandas as pd

from studies.league.entries import ENTRIES, K
from studies.league.files import FILES
from studies.league.measured import measured
from studies.league.picture import risk_and_loss
from studies.league.tables import eight_digits, losses, page_table, sorted_by_score, two_digits
from studies.results import Study

STUDY = Study("league", __doc__)


def main() -> None:
    STUDY.begin()
    rows = pd.DataFrame(_rows())
    refused = rows[rows["reason"].notna()]
    rows = rows[rows["reason"].isna()].drop(columns="reason").astype({"k_reached": int})
    for file in FILES:
        of_file = sorted_by_score(rows[(rows["file"] == file.name) & (rows["k"] == K)]).drop(columns=["file", "k"])
        table = eight_digits(of_file.drop(columns="seconds"))
        STUDY.table(file.name, table, f"{file.title}, k = {K}")
        text = f"% {STUDY.made_by}\n\n{page_table(of_file)}"
        (STUDY.options.output / f"{file.name}.txt").write_text(text, encoding="utf-8")
        STUDY.picture(file.name, risk_and_loss(table, file.title))
    several = rows.groupby(["file", "method"])["k"].transform("nunique") > 1
    STUDY.table("sizes", eight_digits(rows[several].drop(columns="seconds")), "Methods at k = 3, 5 and 10")
    titles = {file.name: file.title for file in FILES}
    by_k = eight_digits(losses(rows[several], titles))
    STUDY.table("losses", by_k, "Information loss, % of the variance of the numbers")
    reasons = refused.groupby(["file", "method", "reason"], sort=False)["k"].agg(
        lambda k: " ".join(map(str, sorted(k)))
    )
    STUDY.table("refused", reasons.reset_index()[["file", "method", "k", "reason"]], "What cannot be done, and why")
    seconds = rows["seconds"].map(two_digits).astype(float)
    STUDY.table("seconds", rows[["file", "method", "k"]].assign(seconds=seconds), "Seconds of the processor")
    STUDY.end()


def _rows() -> list[dict]:
    """Return what came of every entry on every file, in the order of the files and entries."""
    with ProcessPoolExecutor(STUDY.options.jobs, mp_context=get_context("spawn")) as pool:
        waiting = []
        for file in FILES:
            table = file.of(STUDY.data(f"{file.name}.csv"))
            waiting += [pool.submit(measured, file, table, entry, k) for entry in ENTRIES for k in entry.sizes]
        return [one.result() for one in waiting]


if __name__ == "__main__":
    main()
