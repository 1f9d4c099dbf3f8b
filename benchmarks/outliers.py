"""Outliers planted in random files, and what synthetic and hybrid data let through of them and of other records.

    python benchmarks/outliers.py [--files 2000] [--first 0]

Files of 50 to 1,000 records, 1 to 3 of them with values of 1e3 to 1e12 standard deviations in what stays, in what is
rewritten, or both; all synthetic methods with their variants, in groups, in strata, with categories. A line for each
method: the outliers' values that are out of proportion themselves, and how many come out within 1 % of what they were;
the same of their other values, and how many would by what other records of their group had; the values of all other
records, and how many come out within a thousandth of a standard deviation, beside another release with another seed
(fuzzy regression draws nothing) and a release of the file without its outliers.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter, defaultdict
from dataclasses import asdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from oracles.planted_outliers import LetThrough, let_through, planted_file

HEAD = ["files", "refused", *LetThrough.__dataclass_fields__]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=2000)
    parser.add_argument("--first", type=int, default=0, help="the seed of the first file")
    asked = parser.parse_args()
    found: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for seed in range(asked.first, asked.first + asked.files):
        planted = planted_file(seed)
        one = let_through(planted)
        if isinstance(one, str):
            print(f"file {seed}, {planted.replace}, k={planted.k}: {one}")
            one_row = Counter(refused=1)
        else:
            one_row = Counter(asdict(one))
            if one.near:
                print(f"file {seed}, {planted.replace}, k={planted.k}: {one.near} values out of proportion come out")
        found[planted.replace] += one_row + Counter(files=1)
    print(f"{'':36}" + "".join(f"{name.replace('close_', '').replace('ordinary_', ''):>12}" for name in HEAD))
    for replace, row in [*sorted(found.items()), ("all", sum(found.values(), Counter()))]:
        print(f"{replace:36}" + "".join(f"{row[name]:>12,.0f}" for name in HEAD))
    sys.exit(1 if any(row["near"] for row in found.values()) else 0)


if __name__ == "__main__":
    main()
