"""Clusters in microaggregated files: every clustering and index of the measure, with what each is to be compared with.

    python studies/clustering_similarity/microaggregated_files.py census.csv [-k 3,10] [--repetitions 10]

Prints a table: the value for each k, then what it is to be compared with, the original clustered again from another
start, and clusters assigned to the records at random. Means and standard deviations over the repetitions.
"""

from __future__ import annotations

import argparse

import pandas as pd

import shoal
from shoal.measure import clustering_similarity

METHODS = ("c-means", "fuzzy", "noise", "possibilistic")
INDICES = ("rand", "adjusted-rand", "jaccard", "fuzzy-rand", "alpha-cuts")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("file", help="a CSV file of numbers")
    parser.add_argument("-k", default="3,10", help="sizes of groups, with commas between them")
    parser.add_argument("--repetitions", type=int, default=10, help="starts, two or more")
    arguments = parser.parse_args()
    original = pd.read_csv(arguments.file).astype(float)
    sizes = [int(k) for k in arguments.k.split(",")]
    releases = [shoal.protect(original, k, method="mdav").data for k in sizes]
    print("| method | index |" + "".join(f" k = {k} |" for k in sizes) + " same file | chance |")
    print("|---|---|" + "---|" * (len(sizes) + 2))
    for method in METHODS:
        for index in INDICES:
            if (method, index) == ("c-means", "fuzzy-rand"):
                continue  # the Rand index again
            options = {"method": method, "index": index, "repetitions": arguments.repetitions}
            found = [clustering_similarity(original, masked, **options) for masked in releases]
            values = "".join(f" {one.value:.3f} ± {one.spread['value']:.3f} |" for one in found)
            again = f" {found[0].again:.3f} ± {found[0].spread['again']:.3f} |"
            chance = " to ".join(f"{one:.3f}" for one in sorted({round(one.chance, 3) + 0.0 for one in found}))
            print(f"| {method} | {index} |{values}{again} {chance} |", flush=True)


if __name__ == "__main__":
    main()
