"""What the thesis prints: its tables of squared errors and seconds, and what sdcMicro made of its nineteen points."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

__all__ = ["AGAINST_MDAV", "MDAV_ERRORS", "MDAV_SECONDS", "PRINTED", "SDCMICRO", "SIZES", "Printed"]

SIZES = (3, 4, 5, 10)  # the k of all tables

MDAV_ERRORS = (798.44, 1051.28, 1274.83, 1985.65)  # Table 5.3
MDAV_SECONDS = (39, 32, 27, 19)  # Tables 5.3 and 8.1
AGAINST_MDAV = (78.95, 287.24, 350.00, 817.25)  # Table 8.1, the column of differences


@dataclass(frozen=True)
class Printed:
    """One column of a table: a method, its squared errors on Census and its seconds, for k = 3, 4, 5 and 10.

    `parameters` are those of `shoal.partition.HAC`; `notes` says, by k, what is known about a value that differs.
    """

    table: str
    method: str
    parameters: dict[str, Any]
    errors: tuple[float, ...]
    seconds: tuple[float, ...]
    notes: dict[int, str] = field(default_factory=dict)


_MOST_GROUPS = {"cap": "k", "linkage": "single"}
PRINTED = (
    Printed(
        "6.1",
        "single, to 2k-1",
        {"cap": "2k-1", "linkage": "single"},
        (1284.95, 1919.07, 2154.53, 3469.41),
        (192, 169, 175, 150),
    ),
    Printed("7.1", "single", _MOST_GROUPS, (1038.30, 1363.40, 1664.5, 2379.23), (233, 210, 208, 146)),
    Printed(
        "7.2",
        "complete",
        {"cap": "k", "linkage": "complete"},
        (1908.67, 2196.23, 3852.33, 4771.5),
        (271, 240, 231, 309),
        {5: "misprint: the first digit"},
    ),
    Printed(
        "7.2",
        "centroid",
        {"cap": "k", "linkage": "centroid"},
        (1703.3, 1679.7, 1979.91, 3112.41),
        (20598, 19547, 19276, 20209),
        dict.fromkeys((3, 5), "not reproduced")
        | dict.fromkeys((4, 10), "not reproduced; within other orders of the rows"),
    ),
    Printed(
        "7.3",
        "single, priority",
        {**_MOST_GROUPS, "priority": 1.0},
        (877.39, 1338.52, 1624.83, 2802.90),
        (5470, 3529, 4710, 4232),
        {5: "cut, not rounded"},
    ),
)

# Table 5.2: sdcMicro's MDAV on the nineteen points, k = 4; the means of the four groups, and the group of every record.
SDCMICRO = (
    ((3.428571, 7.428571), (1.5, 2.75), (3.25, 12.25), (6.25, 4.75)),
    (0, 0, 1, 1, 2, 2, 0, 3, 3, 1, 0, 3, 1, 2, 3, 0, 0, 0, 2),
)
