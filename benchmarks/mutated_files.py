"""Damaged and hostile files of every format, each read in a process of its own.

    python benchmarks/mutated_files.py [--files 100] [--seed 0] [--formats .csv .xlsx] [--quick] [--keep FOLDER]

A file must be read and described, or refused in one line: no signal, no internal error, no memory over 2 GB, no run
over 20 s of processor time. There are files of every format changed at random, Arrow files with numbers that point
outside of them, and small files made to be large when they are read. What fails is listed, and its file kept in FOLDER.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from oracles.crafted_files import CRAFTED, crafted_arrow
from oracles.mutated_files import ENDINGS, mutated_files
from oracles.own_process import End, read_alone

LONGEST = 20.0  # seconds of processor time
PATIENCE = 120.0  # seconds by the clock
MOST_MEMORY = 2000.0  # megabytes


def all_files(formats: list[str], count: int, seed: int, *, quick: bool) -> Iterator[tuple[str, str, str, bytes]]:
    """Yield the line of the table, the name, the ending and the content of every file."""
    for ending in formats:
        for number, (name, content) in enumerate(islice(mutated_files(ending, seed), count)):
            yield ending, f"{number} {name}", ending, content
    for name, content in islice(crafted_arrow(), 0, None, 20 if quick else 1):
        if ".arrow" in formats:
            yield "crafted Arrow", name, ".arrow", content
    for name, (ending, make) in CRAFTED.items():
        if ending in formats and not quick:
            yield "made to be large", name, ending, make()


def fault_of(end: End) -> str:
    if end.kind not in ("read", "refused"):
        return end.kind
    if end.megabytes > MOST_MEMORY:
        return "memory"
    return "too long" if end.seconds > LONGEST else ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--files", type=int, default=100, help="how many of every format")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--formats", nargs="+", default=list(ENDINGS), choices=ENDINGS)
    parser.add_argument("--quick", action="store_true", help="few crafted Arrow files, and none made to be large")
    parser.add_argument("--keep", type=Path, default=None, help="where the files go that are not read as they must be")
    asked = parser.parse_args()
    ends: dict[str, list[End]] = defaultdict(list)
    faults: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        for line, name, ending, content in all_files(asked.formats, asked.files, asked.seed, quick=asked.quick):
            path = Path(folder) / f"t{ending}"
            path.write_bytes(content)
            end = read_alone(path, PATIENCE)
            ends[line].append(end)
            if line == "made to be large":
                print(f"{ending:9} {name:45} {len(content) / 1e6:6.2f} MB {_shown(end)}", flush=True)
            if fault_of(end):
                faults.append(f"{line}, seed {asked.seed}, {name}: {fault_of(end)}, {_shown(end)}")
                if asked.keep is not None:
                    asked.keep.mkdir(parents=True, exist_ok=True)
                    shutil.copy(path, asked.keep / f"{len(faults)}{ending}")
    _print_table(ends)
    print(*faults, f"{len(faults)} faults in {sum(map(len, ends.values()))} files", sep="\n")
    return 1 if faults else 0


def _shown(end: End) -> str:
    said = end.message.partition("/t.")[2]
    return f"{end.seconds:5.1f} s {end.megabytes:6.0f} MB  {end.kind}: {(said or end.message)[:150]}"


def _print_table(ends: dict[str, list[End]]) -> None:
    heads = f"{'format':18}{'files':>7}{'read':>7}{'refused':>9}{'crashed':>9}{'faults':>8}"
    print(f"{heads}{'longest':>10}{'most memory':>13}")
    for line, of_line in ends.items():
        kinds = Counter(fault_of(end) or end.kind for end in of_line)
        faults = len(of_line) - kinds["read"] - kinds["refused"]
        crashed = sum("crashed on it" in end.message for end in of_line)  # in the other process, and refused
        longest, most = max(end.seconds for end in of_line), max(end.megabytes for end in of_line)
        counts = f"{line:18}{len(of_line):7}{kinds['read']:7}{kinds['refused']:9}{crashed:9}{faults:8}"
        print(f"{counts}{longest:8.1f} s{most:10.0f} MB")


if __name__ == "__main__":
    sys.exit(main())
