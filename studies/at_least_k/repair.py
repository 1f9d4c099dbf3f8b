"""What the repair of small clusters does: at-least-k fuzzy c-means with and without dissolving and filling them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from shoal.partition.fuzzy import AtLeastK
from studies.at_least_k.releases import SIZES, table_of

WITHOUT: dict[str, Any] = {"dissolve": 0.0, "fill": 1.0}  # nothing is dissolved, and nothing below k is filled


def repaired(folder: Path, files: tuple[str, ...]) -> pd.DataFrame:
    """Return the squared error and the share of the records that is left to MDAV, in percent, with and without."""
    rows: list[dict[str, Any]] = []
    for file in files:
        table = table_of(folder, file).astype(float)
        Z = (table - table.mean()) / table.std()
        for k in SIZES:
            row: dict[str, Any] = {"file": file, "k": k}
            for title, options in (("", {}), (" without", WITHOUT)):
                fitted = AtLeastK(k, **options).fit(Z.to_numpy())
                apart = Z - Z.groupby(fitted.labels_).transform("mean")
                row[f"loss{title}"] = 100 * float(np.square(apart).to_numpy().sum() / np.square(Z).to_numpy().sum())
                row[f"left to MDAV{title}"] = 100 * fitted.fallback_share_
            rows.append(row | {"loss, difference": 100 * (row["loss"] / row["loss without"] - 1)})
    return pd.DataFrame(rows)
