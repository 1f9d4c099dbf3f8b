"""What the leaves of the decision tree in docs/how-to/choosing-a-method.md cost, on Census and on sdcMicro's testdata.

    python benchmarks/choosing.py [folder of the reference files] [seconds for refine]

Prints one Markdown table a file: k and unique records over everything released, linkage, the attack of an intruder who
knows the method, information loss, loss over all columns, loss for analyses, and seconds of the processor.
"""

from __future__ import annotations

import sys
import time
import warnings
from pathlib import Path

import shoal

FOLDER = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1] / ".." / "shared" / "data"
SECONDS = sys.argv[2] if len(sys.argv) > 2 else "30"
K = 5

CENSUS = [
    ("mdav", {"method": "mdav"}),
    ("vmdav", {"method": "vmdav"}),
    ("refine", {"method": f"refine:seconds={SECONDS}"}),
    ("mdav, blocks of 5", {"method": "mdav", "blocks": 5}),
    ("at-least-k", {"method": "at-least-k"}),
    ("fuzzy", {"method": "fuzzy", "replace": "membership-draw"}),
    ("hybrid", {"method": "mdav", "replace": "hybrid:small_groups=merge", "confidential": "all"}),
    ("ipso", {"replace": "ipso", "confidential": "all"}),
    ("rank-swap, p = 15", {"replace": "rank-swap:p=15"}),
    ("shuffle", {"replace": "shuffle"}),
    ("noise, alpha = 0.1", {"replace": "noise:alpha=0.1"}),
]
KEYS = "similar=[roof],keys=[relat,sex,water]"
BANDS = {"age": "bands:width=10,top=70"}
TESTDATA = [
    ("group", {}),
    ("group, ages in bands", {"recodes": BANDS}),
    ("suppress, ages in bands", {"recodes": BANDS, "categories": "suppress"}),
    ("suppress for urbrur and sex", {"recodes": BANDS, "categories": {"urbrur": "suppress", "sex": "suppress"}}),
    ("group, households", {"recodes": BANDS, "unit": "ori_hid"}),
    ("suppress, households", {"recodes": BANDS, "unit": "ori_hid", "categories": "suppress"}),
    ("pram and rank-swap", {"replace": "pram"}),
    ("record-swap", {"unit": "ori_hid", "columns": ["urbrur"], "replace": f"record-swap:{KEYS},rate=0.1"}),
]


def main() -> None:
    """Print both tables."""
    census = shoal.read_table(FOLDER / "census.csv")
    print(f"census.csv, k = {K}\n")
    _table(census, CENSUS, {})
    people = shoal.read_table(FOLDER / "testdata.csv").drop(columns=["sampling_weight", "household_weights"])
    print(f"\ntestdata.csv, k = {K}\n")
    _table(people, TESTDATA, {"roles": {"ori_hid": "identifier"}})


def _table(data, leaves, shared) -> None:
    shoal.protect(data.head(100), K, columns=list(data.columns[:2]), seed=1)  # compiles what has to be compiled
    print("| leaf | k | unique | linked | attack | lost | lost over all columns | lost for analyses | seconds |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name, options in leaves:
        settings = {**({} if "unit" in options else shared), **options}
        if settings.get("confidential") == "all":
            settings["confidential"] = list(data.columns)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            began = time.process_time()
            release = shoal.protect(data, K, seed=1, **settings)
            seconds = time.process_time() - began
            wanted = ["information_loss", "mixed_information_loss", "analytical_loss", "transparency_attack"]
            measured = release.evaluate(measures=wanted).to_dict()
        values = {**measured["risk"], **measured["utility"]}
        head = release.headline
        cells = [name, head["k"], f"{head['uniques']:,}", f"{head['linkage']:.1f} %"]
        cells += [_percent(values.get(measure)) for measure in ("transparency_attack", *wanted[:3])]
        print(f"| {' | '.join(map(str, cells))} | {seconds:.1f} |", flush=True)


def _percent(value) -> str:
    return "" if value is None else f"{value:.1f} %"


if __name__ == "__main__":
    main()
