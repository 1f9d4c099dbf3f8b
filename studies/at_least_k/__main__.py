"""At-least-k fuzzy c-means against MDAV, Refine and fuzzy microaggregation, with the score of 2001.

    python -m studies.at_least_k [--data FOLDER] [--jobs 2] [--files census,tarragona,eia]

Domingo-Ferrer and Torra (2002) propose microaggregation by fuzzy clusters of at least k records, and leave the
comparison with other methods, "following the approach" of their paper of 2001, to future work. Here it is.
"""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from functools import partial

import pandas as pd

from studies.at_least_k.equal_loss import compared
from studies.at_least_k.releases import COMPONENTS, SIZES, cases, measured
from studies.at_least_k.repair import repaired
from studies.at_least_k.score_picture import risk_and_loss
from studies.results import Study

# The information loss of MDAV's means, in percent, as printed in the literature.
PUBLISHED_MDAV = {"census": (5.69, 9.09, 14.16), "tarragona": (16.93, 22.46, 33.19), "eia": (0.483, 1.667, 3.840)}
SCORE = ["file", "k", "method", "groups", "score", "IL", "DR", "DLD", "PLD", "ID", "attack"]


def main() -> None:
    study = Study("at_least_k", __doc__)
    study.arguments.add_argument("--files", default="census,tarragona,eia", help="some of the files only")
    options = study.begin()
    files = tuple(options.files.split(","))
    with ProcessPoolExecutor(options.jobs) as pool:
        rows = pd.DataFrame(pool.map(partial(measured, options.data), cases(files)))
        pairs = [(file, k) for file in files for k in SIZES]
        intruders = [row for some in pool.map(partial(compared, options.data), pairs) for row in some]
    means = rows.groupby(["file", "k", "method"], sort=False).mean().round(6).reset_index()
    study.table("score_2001", means[SCORE], "The score of 2001 and its parts, in percent; drawn releases: three seeds")
    parts = ["file", "k", "method", "IL", *(f"IL of {name}" for name in COMPONENTS)]
    study.table("information_loss", means[parts], "The five components of the information loss of 2001, in percent")
    study.table("squared_error", squared_errors(means), "Information loss by squared error, in percent")
    study.table(
        "equal_loss", pd.DataFrame(intruders), "What an intruder finds at equal loss, in percent of the records"
    )
    study.table("repair", repaired(options.data, files), "Small clusters repaired and not, in percent")
    study.picture("risk_and_loss", risk_and_loss(means))
    study.end()


def squared_errors(means: pd.DataFrame) -> pd.DataFrame:
    """Return the squared error of every method, a row for each file and k, beside MDAV's as it was published."""
    wide = means.pivot(index=["file", "k"], columns="method", values="squared error")
    methods = list(dict.fromkeys(means["method"]))
    wide = wide.loc[list(dict.fromkeys(zip(means["file"], means["k"], strict=True))), methods].reset_index()
    published = [PUBLISHED_MDAV[file][SIZES.index(k)] for file, k in zip(wide["file"], wide["k"], strict=True)]
    wide.insert(2, "mdav, published", published)
    return wide


if __name__ == "__main__":
    main()
