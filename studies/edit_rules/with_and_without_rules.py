"""Census masked with edit rules kept (S1) and without (S2), k from 1 to 99: loss, risk, score, and broken rules.

    pip install "shoal[xslt]"
    python studies/edit_rules/with_and_without_rules.py census.csv [--jobs 1] [--without-saxon] [--output FOLDER]

The experiment of Torra, Cano and Navarro-Arribas (2009). Census has three more columns, and its rules are those of
tests/edits/seed_rules.sch. S1 keeps them: variables that a rule joins are grouped together, the rest in threes, and
the rules decide which representative a group gets. S2 does not use the rules: variables in threes, arithmetic means.
k = 1 is the unmasked file. Both are checked twice for each k, without any tolerance: by shoal, and by Saxon, which
reads the tests as written in the Schematron file, and the release as XML.

The paper leaves open how the variables were cut and what exactly was measured. The last table has the lowest score
under each of several readings, beside the paper's: 37.223 for S1 at k = 10, and 34.531 for S2 at k = 6.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from lxml import etree
from scipy.special import ndtr

import shoal
from shoal import measure
from shoal.edits import check

RULES = Path(__file__).resolve().parents[2] / "tests" / "edits" / "seed_rules.sch"
KINDS = ("EC-LC", "EC-NLC", "EC-PV", "EC-GV", "domain")
PAPER = {"S1": (10, 37.223), "S2": (6, 34.531)}
LARGEST = 99
SOME = (*range(2, 16), 20, 30)  # where readings are compared
LABELLED = (1, 2, 3, 5, 10, 25, 50, 99)


def variables(*numbers: int) -> list[str]:
    return [f"V{number}" for number in numbers]


@dataclass(frozen=True)
class Masking:
    """A reading of how the paper masked its file: how many of the rules are kept, and other options of `protect`."""

    rules: int
    options: dict[str, Any]


JOINED = [variables(5, 15, 16), variables(8, 12, 13), variables(9, 10, 14)]
NAMED = (3, 5, 8, 9, 10, 12, 13, 14, 15, 16)  # by the rules that the paper has results for: all but the value domain
MASKINGS = {
    "S1": Masking(5, {"blocks": "rules"}),
    "S2": Masking(0, {"blocks": 3}),
    "S1, without value domain": Masking(4, {"blocks": "rules"}),
    "S1, without, V3 by itself": Masking(
        4, {"blocks": [*JOINED, variables(3), variables(1, 2, 4), variables(6, 7, 11)]}
    ),
    "S1, V1 and V3 by themselves": Masking(
        5, {"blocks": [*JOINED, variables(1), variables(3), variables(2, 4, 6), variables(7, 11)]}
    ),
    "S1, without, rules in one block": Masking(
        4, {"blocks": [variables(*NAMED), variables(1, 2, 4), variables(6, 7, 11)]}
    ),
    "S2, V1 to V13 alone": Masking(0, {"blocks": 3, "columns": variables(*range(1, 14))}),
    "S2, all in one block": Masking(0, {}),
}


@dataclass(frozen=True)
class Reading:
    """A reading of what the paper measured: on how many columns, and which loss, linkage and intervals."""

    columns: int
    loss: str
    linkage: str
    interval: str


DEFAULT, SUBSETS = "shoal's own", "back, sd"
READINGS = {
    DEFAULT: Reading(16, "PIL", "all", "rank"),
    "V1-V13, sd": Reading(13, "PIL", "all", "sd"),
    "subsets, V1-V16": Reading(16, "PIL", "subsets", "rank"),
    "subsets": Reading(13, "PIL", "subsets", "rank"),
    "subsets, relative": Reading(13, "PIL", "subsets", "relative"),
    "subsets, sd": Reading(13, "PIL", "subsets", "sd"),
    SUBSETS: Reading(13, "PIL", "subsets, back", "sd"),
    "back, sd, deciles": Reading(13, "PIL of deciles", "subsets, back", "sd"),
}
TITLES = {DEFAULT: "as shoal measures", SUBSETS: "linkage over subsets, sd intervals"}
COLOURS = {"S1": "#08519c", "S2": "#e6550d"}


def with_added_columns(census: Path) -> pd.DataFrame:
    """Read Census as the paper has it: V1 to V13, and three columns that follow from them."""
    frame = shoal.read_table(census)
    frame = frame[sorted(frame)].set_axis(variables(*range(1, 14)), axis=1)
    income, inverse = frame.V9.astype(float) + frame.V10, 1 / frame.V11
    return frame.assign(V14=income, V15=inverse, V16=frame.V5 * inverse)


def masked_file(frame: pd.DataFrame, masking: Masking, k: int) -> pd.DataFrame:
    if k == 1:
        return frame
    rules = shoal.read_edits(RULES)[: masking.rules] or None
    options = {"columns": list(frame), **masking.options}
    return shoal.protect(frame, k, edits=rules, seed=0, **options).data[options["columns"]]


def deciles_loss(original: pd.DataFrame, masked: pd.DataFrame) -> float:
    """Return PIL with the nine deciles where shoal takes nineteen quantiles, as one public program does."""
    loss = measure.probabilistic_information_loss(original, masked)
    n, losses = len(original), []
    for name in original:
        before, after = np.sort(original[name].to_numpy(float)), np.sort(masked[name].to_numpy(float))
        half = (before[-1] - before[0]) / 1000
        for tenth in range(1, 10):
            place = (n - 1) * tenth // 10
            near = np.count_nonzero(np.abs(before - before[place]) < half)
            error = 2 * half * np.sqrt(n * tenth / 10 * (1 - tenth / 10)) / near
            losses.append(100 * (2 * ndtr(abs(after[place] - before[place]) / error) - 1))
    return float(np.mean([loss.mean, loss.variance, loss.covariance, loss.correlation, np.mean(losses)]))


def measures_of(original: pd.DataFrame, masked: pd.DataFrame) -> dict[tuple[int, str], float]:
    """Return every measure that a reading needs, by number of columns and name."""
    values = {}
    back = {"known": "subsets", "direction": "masked-to-original"}
    subsets = {
        "subsets": measure.distance_linkage(original, masked, known="subsets"),  # V1 to V7
        "subsets, back": measure.distance_linkage(original, masked, **back),
    }
    for number in (13, 16):
        files = original.iloc[:, :number], masked.iloc[:, :number]
        measures = {"PIL": measure.probabilistic_information_loss(*files), "PIL of deciles": deciles_loss(*files)}
        measures |= {"all": measure.distance_linkage(*files)} | subsets
        measures |= {kind: measure.interval_disclosure(*files, kind=kind) for kind in ("rank", "sd", "relative")}
        values |= {(number, name): float(value) for name, value in measures.items()}
    return values


def as_xml(frame: pd.DataFrame) -> str:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "microdata.xml")
        shoal.write_table(frame, path)
        return path.read_text(encoding="utf-8")


@cache
def saxon() -> Any:
    """Start Saxon, once a process, and let it open nothing."""
    from saxonche import PySaxonProcessor

    processor = PySaxonProcessor(license=False)
    processor.set_configuration_property("http://saxon.sf.net/feature/allowedProtocols", "")
    return processor


def broken_by_saxon(original: pd.DataFrame, masked: pd.DataFrame) -> list[int]:
    """Count the records for which each test of the Schematron file is not true, as Saxon evaluates it."""
    xpath = saxon().new_xpath_processor()
    before, after = (saxon().parse_xml(xml_text=as_xml(frame)) for frame in (original, masked))
    xpath.declare_variable("original")
    xpath.set_parameter("original", before)
    xpath.set_context(xdm_item=after)
    tests = [one.get("test") for one in etree.parse(RULES).iter("{*}assert")]
    return [int(xpath.evaluate_single(f"count(//Record[not({test})])").string_value) for test in tests]


def one_release(frame: pd.DataFrame, name: str, k: int, with_saxon: bool) -> dict[str, Any]:
    """Mask, measure and check one file."""
    masked = masked_file(frame, MASKINGS[name], k)
    row: dict[str, Any] = {"masking": name, "k": k}
    measures = measures_of(frame[list(masked)], masked)
    for title, reading in READINGS.items():
        if reading.columns <= masked.shape[1]:
            loss, linkage, interval = (
                measures[reading.columns, part] for part in (reading.loss, reading.linkage, reading.interval)
            )
            row[f"{title}: PIL"], row[f"{title}: DR"] = loss, (linkage + interval) / 2
            row[f"{title}: score"] = (loss + (linkage + interval) / 2) / 2
    if name in PAPER:
        statuses = check(masked, RULES, original=frame, tolerance=0.0).rules
        row |= {f"{kind}, shoal": status.broken for kind, status in zip(KINDS, statuses, strict=True)}
        if with_saxon:
            row |= {f"{kind}, Saxon": count for kind, count in zip(KINDS, broken_by_saxon(frame, masked), strict=True)}
    return row


def collect(frame: pd.DataFrame, largest: int, jobs: int, with_saxon: bool) -> pd.DataFrame:
    """Return one row for each masking and k: both scenarios for every k, the other readings for some."""
    sizes = {name: range(1, largest + 1) if name in PAPER else [k for k in SOME if k <= largest] for name in MASKINGS}
    rows = []
    with ProcessPoolExecutor(jobs) as pool:
        tasks = [pool.submit(one_release, frame, name, k, with_saxon) for name, ks in sizes.items() for k in ks]
        for done, task in enumerate(as_completed(tasks), 1):
            rows.append(task.result())
            print(f"\r{done} of {len(tasks)} files done", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    order = {name: place for place, name in enumerate(MASKINGS)}
    return pd.DataFrame(rows).sort_values(["masking", "k"], key=lambda one: one.replace(order)).reset_index(drop=True)


def best(rows: pd.DataFrame, reading: str) -> tuple[int, float]:
    """Return the k above 1 with the lowest score, and that score."""
    scores = rows[rows.k > 1].set_index("k")[f"{reading}: score"]
    return int(scores.idxmin()), float(scores.min())


def score_table(measured: pd.DataFrame) -> None:
    heads = [f"{name} {part}" for name in PAPER for part in ("PIL", "DR", "score")]
    print(f'First six: as shoal measures. Last two: the score as measured in the reading "{SUBSETS}", see below.')
    print(f"{'k':>3}" + "".join(f"{head:>10}" for head in [*heads, *PAPER]))
    columns = [(name, f"{DEFAULT}: {part}") for name in PAPER for part in ("PIL", "DR", "score")]
    columns += [(name, f"{SUBSETS}: score") for name in PAPER]
    by_k = {name: measured[measured.masking == name].set_index("k", drop=False) for name in PAPER}
    for k in by_k["S1"].index:
        print(f"{k:>3}" + "".join(f"{by_k[name].loc[k, column]:10.3f}" for name, column in columns))
    for name, (k, score) in PAPER.items():
        lowest = ["{1:.3f} at k = {0}".format(*best(by_k[name], title)) for title in TITLES]
        print(f"lowest score of {name}: {lowest[0]}, in the other reading {lowest[1]}; the paper's {score} at k = {k}")


def violation_table(measured: pd.DataFrame) -> None:
    """Print, for each rule, how many records break it: over all k from 2 on together, and for the worst k."""
    print("\nRecords that break a rule, k = 2 and above, without tolerance: in all files together (most in one file)")
    print(f"{'':<14}" + "".join(f"{kind:>16}" for kind in KINDS))
    for name in PAPER:
        rows = measured[(measured.masking == name) & (measured.k > 1)]
        for checker in ("shoal", "Saxon"):
            if f"{KINDS[0]}, {checker}" in rows:
                counts = [rows[f"{kind}, {checker}"] for kind in KINDS]
                cells = [f"{int(one.sum())} ({int(one.max())})" for one in counts]
                print(f"{f'{name}, {checker}':<14}" + "".join(f"{cell:>16}" for cell in cells))
                wrong = rows.k[sum(counts) > 0].tolist()
                if name == "S1" and wrong:
                    print(f"  BROKEN at k = {', '.join(map(str, wrong))}")


def reading_tables(measured: pd.DataFrame) -> None:
    some = measured[measured.k.isin(SOME)]
    print("\nLowest score, and its k, of each masking (row) as each reading measures it (column); k = 2 to 15, 20, 30")
    by_reading(some, lambda rows, title: "{1:.2f} at {0}".format(*best(rows, title)))
    print(
        "\nThe same at the k of the paper's lowest score: " + ", ".join(f"{name} at {PAPER[name][0]}" for name in PAPER)
    )
    at_paper = some[some.k == some.masking.str[:2].map({name: k for name, (k, _) in PAPER.items()})]
    by_reading(at_paper, lambda rows, title: f"{rows[f'{title}: score'].item():.2f}")


def by_reading(measured: pd.DataFrame, cell: Callable[[pd.DataFrame, str], str]) -> None:
    print(f"{'':<34}" + "".join(f"{title:>19}" for title in READINGS))
    for name in measured.masking.unique():
        rows = measured[measured.masking == name]
        cells = [cell(rows, title) if rows[f"{title}: score"].notna().all() else "-" for title in READINGS]
        print(f"{name:<34}" + "".join(f"{one:>19}" for one in cells))


def save(figure: plt.Figure, path: Path) -> None:
    for axes in figure.axes:
        axes.grid(color="0.92", lw=0.6)
        axes.set_axisbelow(True)
        axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, metadata={"Date": None}, bbox_inches="tight")
    plt.close(figure)


def draw_scatter(measured: pd.DataFrame, path: Path) -> None:
    """Draw risk against loss, a point for each k; a row for each reading, a column for each scenario."""
    figure, grid = plt.subplots(2, 2, figsize=(8, 7.6), sharex=True, sharey=True, layout="constrained")
    for row, (reading, title) in zip(grid, TITLES.items(), strict=True):
        for axes, (name, (k, score)) in zip(row, PAPER.items(), strict=True):
            rows = measured[measured.masking == name].set_index("k")
            loss, risk = rows[f"{reading}: PIL"], rows[f"{reading}: DR"]
            axes.plot([0, 100], [100, 0], color="0.6", lw=0.8, ls=(0, (4, 3)))
            axes.plot([0, 2 * score], [2 * score, 0], color="0.6", lw=0.8, ls=(0, (1, 1.5)))
            axes.plot(loss, risk, "o", ms=3, color=COLOURS[name], alpha=0.7, mew=0)
            for one in (one for one in LABELLED if one in rows.index):
                near = {"xytext": (4, 4), "textcoords": "offset points", "fontsize": 8}
                axes.annotate(f"k = {one}" if one == 1 else f"{one}", (loss[one], risk[one]), **near)
            axes.text(2, 99, "score 50", color="0.4", fontsize=8, rotation=-45, rotation_mode="anchor", va="top")
            note = f"score {score}, the paper's lowest (k = {k})"
            axes.text(2, 2 * score - 3.5, note, color="0.4", fontsize=8, rotation=-45, rotation_mode="anchor", va="top")
            axes.set(title=f"{name}: {title}", aspect="equal", xlim=(-2, 100), ylim=(0, 104))
        row[0].set_ylabel("DR (lower is better)")
    for axes in grid[-1]:
        axes.set_xlabel("PIL (lower is better)")
    save(figure, path)


def draw_score(measured: pd.DataFrame, path: Path) -> None:
    figure, pair = plt.subplots(1, 2, figsize=(8, 3.4), sharey=True, layout="constrained")
    for axes, (reading, title) in zip(pair, TITLES.items(), strict=True):
        for height, (name, (k, score)) in zip((0.10, 0.03), PAPER.items(), strict=True):
            rows, colour = measured[measured.masking == name], COLOURS[name]
            axes.plot(rows.k, rows[f"{reading}: score"], color=colour, lw=1.4, label=name)
            least = best(rows, reading)
            axes.plot(*least, "o", color=colour, ms=5)
            note = f"{name}: lowest {least[1]:.1f} at k = {least[0]}; paper {score:.1f} at k = {k}"
            axes.text(0.98, height, note, color=colour, fontsize=8, ha="right", transform=axes.transAxes)
            axes.plot(k, score, "*", color=colour, ms=9, mec="black", mew=0.5, label=f"{name}, the paper's lowest")
        axes.axhline(50, color="0.6", lw=0.8, ls=(0, (4, 3)))
        axes.set(title=title, xlabel="k", ylim=(30, 62))
    pair[0].set_ylabel("score (lower is better)")
    handles, labels = pair[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, frameon=False)
    save(figure, path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("census", type=Path)
    parser.add_argument("--largest", type=int, default=LARGEST, help="the last k")
    parser.add_argument("--jobs", type=int, default=1, help="number of processes")
    parser.add_argument("--without-saxon", action="store_true", help="check with shoal only")
    parser.add_argument(
        "--output", type=Path, default=Path("build/edit_rules"), help="where pictures and tables are written"
    )
    options = parser.parse_args()
    rows = collect(with_added_columns(options.census), options.largest, options.jobs, not options.without_saxon)
    options.output.mkdir(parents=True, exist_ok=True)
    rows.to_csv(options.output / "measures.csv", index=False, float_format="%.6g")
    score_table(rows)
    violation_table(rows)
    reading_tables(rows)
    plt.rcParams |= {"font.size": 9, "axes.titlesize": 9, "legend.fontsize": 9}
    plt.rcParams |= {"svg.fonttype": "none", "svg.hashsalt": "shoal"}
    draw_scatter(rows, options.output / "edits_pil_dr.svg")
    draw_score(rows, options.output / "edits_score.svg")


if __name__ == "__main__":
    main()
