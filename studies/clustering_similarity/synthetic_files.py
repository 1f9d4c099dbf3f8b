"""Clusters in synthetic files of Census: how similar they are to those of the original, and the relation to PIL.

    python studies/clustering_similarity/synthetic_files.py census.csv [--repetitions 20] [--jobs 1] [--output FOLDER]

The experiments of Cano, Ladra and Torra (2010). The dependent variables of two files, orig4 and orig9, are rewritten
by IPSO-A, B and C and by fuzzy regression with c = 3, 6, ..., 30 models and m = 1.5 and 2. Original and synthetic file,
all variables, in units of the original's standard deviations, are put into k clusters and the clusterings compared.
A repetition has its own draw for IPSO, its own start for fuzzy regression, and two starts of k-means++: one for the
original, one for every other file. `same file` is the original clustered from both starts: no synthetic file can be
expected to be more similar. `at random` is the second of these clusterings with its records shuffled: similarity by
chance.

The paper has one letter, c, for the number of models and of clusters. In tables and curves over k both are the same;
in the last table, and in the picture against PIL, k is also fixed at 3, 9 and 30 while c varies. The paper does not say
whether all variables were clustered, and on which scale: --dependents-only and --unscaled are the other readings.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import shoal
from shoal import measure
from shoal.errors import ShoalWarning
from shoal.partition.fuzzy import CMeans, FuzzyCMeans, FuzzyPossibilisticCMeans, NoiseClustering

# The paper numbers its variables and does not name them. Copies of Census come in two orders.
ALPHABETICAL = "AFNLWGT AGI EMCONTRB ERNVAL FEDTAX FICA INTVAL PEARNVAL POTHVAL PTOTVAL STATETAX TAXINC WSALVAL"
OTHER = "AFNLWGT AGI EMCONTRB FEDTAX PTOTVAL STATETAX TAXINC POTHVAL INTVAL PEARNVAL FICA WSALVAL ERNVAL"
ORDERS = {"A": ALPHABETICAL.split(), "B": OTHER.split()}
DEPENDENT = {"orig4": (4, 7, 12, 13), "orig9": (1, 3, 4, 6, 7, 9, 11, 12, 13)}
INDEPENDENT = {"orig4": (1, 2, 3, 5, 6, 8, 9, 10, 11), "orig9": (2, 8, 10)}
# In order A a dependent variable of orig9 is PTOTVAL - PEARNVAL, and these are unchanged: it cannot be rewritten.
DETERMINED = {("A", "orig9"): "POTHVAL"}

COUNTS = tuple(range(3, 31, 3))
FIXED = (3, 9, 30)
ALPHAS = (0.2, 0.4, 0.6, 0.8)
IPSO = ("IPSO-A", "IPSO-B", "IPSO-C")
REGRESSION = ("regression, m = 1.5", "regression, m = 2")
REFERENCE = ("same file", "at random")
RAND, JACCARD, FUZZY_RAND, CUTS = "Rand index", "Jaccard index", "fuzzy Rand index", "alpha-cut distance"
CRISP, FCM, FCM2 = "c-means", "fuzzy c-means, m = 1.5", "fuzzy c-means, m = 2"
NOISE, POSSIBILISTIC = "noise clustering", "possibilistic c-means"
# What is measured after each, as in the paper, and alpha-cuts of the last as well.
MEASURED = {
    CRISP: (RAND, JACCARD),
    FCM: (FUZZY_RAND,),
    FCM2: (CUTS,),
    NOISE: (FUZZY_RAND, CUTS),
    POSSIBILISTIC: (FUZZY_RAND, CUTS),
}
KEYS = ["order", "file", "release", "c", "k", "clustering", "measure", "alpha"]

COLOURS = dict(zip(IPSO + REGRESSION, ("#9ecae1", "#4292c6", "#08519c", "#e6550d", "#fdae6b"), strict=True))
STYLES = {
    **{name: {"color": colour, "lw": 1.4} for name, colour in COLOURS.items()},
    "same file": {"color": "black", "lw": 1.0, "ls": (0, (5, 2))},
    "at random": {"color": "grey", "lw": 1.0, "ls": (0, (1, 1.5))},
}
MARKERS = dict(zip(IPSO + REGRESSION, ("v", "s", "D", "o", "^"), strict=True))


def releases() -> Iterator[tuple[str, int, str]]:
    """Yield the name of each synthetic file, its number of models (0: it has none), and its replacement."""
    for name in IPSO:
        yield name, 0, f"ipso:variant={name[-1]}"
    for name, m in zip(REGRESSION, (1.5, 2.0), strict=True):
        for c in COUNTS:
            yield name, c, f"fuzzy-regression:n_clusters={c},m={m}"


def clusterings(X: np.ndarray, k: int, seed: int) -> dict[str, np.ndarray]:
    """Return the labels of c-means, and the memberships of the fuzzy clusterings."""
    options = {"max_iter": 30, "tol": 1e-5, "random_state": seed}
    return {
        CRISP: CMeans(k, **options).fit(X).labels_,
        FCM: FuzzyCMeans(k, m=1.5, **options).fit(X).memberships_,
        FCM2: FuzzyCMeans(k, m=2, **options).fit(X).memberships_,
        NOISE: NoiseClustering(k, m=1.5, **options).fit(X).memberships_,
        # The paper's eta is 0.5, with which the farthest record is the most typical; it has to be above 1.
        POSSIBILISTIC: FuzzyPossibilisticCMeans(k, m=1.5, eta=2, **options).fit(X).memberships_,
    }


def similarities(first: dict, second: dict) -> Iterator[tuple[str, str, float, float]]:
    """Yield clustering, measure, alpha (0 where there is none) and value."""
    indices = {RAND: measure.rand_index, JACCARD: measure.jaccard_index, FUZZY_RAND: measure.fuzzy_rand_index}
    for name, wanted in MEASURED.items():
        P, Q = first[name], second[name]
        for what in wanted:
            if what == CUTS:
                cuts = measure.alpha_cut_distance(P, Q, alpha=ALPHAS, noise=name == NOISE).by_alpha
                yield from ((name, what, alpha, cuts[str(alpha)]) for alpha in ALPHAS)
            else:
                yield name, what, 0.0, float(indices[what](P, Q))


def subjects() -> Iterator[tuple[str, str, str]]:
    """Yield every file, clustering and measure, in the order of the tables."""
    yield from ((file, name, what) for file in DEPENDENT for name, wanted in MEASURED.items() for what in wanted)


def repetition(frame: pd.DataFrame, order: str, file: str, number: int, reading: dict[str, bool]) -> list[tuple]:
    """Return one row for each measured value of one repetition; in order A without clusterings."""
    warnings.simplefilter("ignore", ShoalWarning)  # thirty iterations are seldom enough
    names = ORDERS[order]
    dependent = [names[i - 1] for i in DEPENDENT[file]]
    original = frame[[names[i - 1] for i in sorted(DEPENDENT[file] + INDEPENDENT[file])]]
    rewritten = [name for name in dependent if name != DETERMINED.get((order, file))]
    clustered = dependent if reading["dependents_only"] else list(original)
    spread = 1.0 if reading["unscaled"] else original.std()
    starts = 2 * number, 2 * number + 1
    rows: list[tuple] = []

    def scaled(table: pd.DataFrame) -> np.ndarray:
        return ((table - original.mean()) / spread)[clustered].to_numpy()

    def compare(release: str, c: int, k: int, second: dict) -> None:
        rows.extend((order, file, release, c, k, *one) for one in similarities(before[k], second))

    before = {}
    if order == "B":
        shuffled = np.random.default_rng(number).permutation(len(original))
        for k in COUNTS:
            before[k], again = (clusterings(scaled(original), k, seed) for seed in starts)
            compare("same file", 0, k, again)
            compare("at random", 0, k, {name: members[shuffled] for name, members in again.items()})
    for release, c, replace in releases():
        masked = shoal.protect(original, len(original), replace=replace, confidential=rewritten, seed=number).data
        for what, function in (("PIL", measure.probabilistic_information_loss), ("linkage", measure.distance_linkage)):
            value = float(function(original[dependent], masked[dependent]))
            rows.append((order, file, release, c, 0, "", what, 0.0, value))
        for k in (sorted({c, *FIXED}) if c else COUNTS) if order == "B" else ():
            compare(release, c, k, clusterings(scaled(masked), k, starts[1]))
    return [(*row, number) for row in rows]


def collect(frame: pd.DataFrame, repetitions: int, jobs: int, reading: dict[str, bool]) -> pd.DataFrame:
    """Return every measured value of every repetition, one a row."""
    rows: list[tuple] = []
    with ProcessPoolExecutor(jobs) as pool:
        tasks = [
            pool.submit(repetition, frame, order, file, number, reading)
            for order in ("B", "A")
            for file in DEPENDENT
            for number in range(repetitions)
        ]
        for done, task in enumerate(as_completed(tasks), 1):
            rows += task.result()
            print(f"\r{done} of {len(tasks)} parts done", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return pd.DataFrame(rows, columns=[*KEYS, "value", "repetition"]).sort_values([*KEYS, "repetition"])


def curve(measured: pd.DataFrame, release: str, clustering: str, what: str, k: int | None = None) -> pd.Series:
    """Return mean values over c with k fixed, or over k; those of fuzzy regression then with c = k models."""
    rows = measured[(measured.release == release) & (measured.clustering == clustering) & (measured.measure == what)]
    if k is not None:
        return rows[rows.k == k].groupby("c").value.mean()
    return rows[(rows.c == 0) | (rows.c == rows.k)].groupby("k").value.mean()


def loss_tables(measured: pd.DataFrame) -> None:
    # In order A a variable is unchanged, and linkage has no meaning.
    for what, order in (("PIL", "B"), ("PIL", "A"), ("linkage", "B")):
        for file in DEPENDENT:
            rows = measured[(measured.order == order) & (measured.file == file) & (measured.measure == what)]
            print(f"\n{what}, dependent variables of {file}, order {order}: mean (sd over repetitions)")
            print(f"{'c':<22}" + "".join(f"{c:>12}" for c in COUNTS))
            for release, some in rows.groupby("release"):
                cells = some.groupby("c").value
                spread = cells.std(ddof=0)
                texts = [f"{mean:.1f} ({spread[c]:.1f})" for c, mean in cells.mean().items()]
                print(f"{release:<22}" + "".join(f"{text:>12}" for text in texts))


def similarity_tables(measured: pd.DataFrame) -> None:
    for file, clustering, what in subjects():
        rows = measured[measured.file == file]
        note = ", mean of the four alphas" if what == CUTS else ""
        print(f"\n{what}{note} after {clustering}, {file}; regression with c = k models")
        print(f"{'k':<22}" + "".join(f"{k:>8}" for k in COUNTS))
        for release in (*REFERENCE, *IPSO, *REGRESSION):
            values = curve(rows, release, clustering, what)
            print(f"{release:<22}" + "".join(f"{value:8.3f}" for value in values))


def difference_table(measured: pd.DataFrame) -> None:
    """Print fuzzy regression minus IPSO-C, repetition by repetition, with its standard error."""
    print("\nRegression, c = k, minus IPSO-C: mean difference (its standard error)")
    print(f"{'':<56}" + "".join(f"{f'{m}, k = {k}':>18}" for m in ("m = 1.5", "m = 2") for k in FIXED))
    rows = measured[(measured.k.isin(FIXED)) & ((measured.c == 0) | (measured.c == measured.k))]
    for file, clustering, what in subjects():
        some = rows[(rows.file == file) & (rows.clustering == clustering) & (rows.measure == what)]
        each = some.groupby(["release", "k", "repetition"]).value.mean()
        cells = []
        for release in REGRESSION:
            for k in FIXED:
                difference = each[release, k] - each["IPSO-C", k]
                several = len(difference) > 1
                error = f"{difference.std() / np.sqrt(len(difference)):.3f}" if several else "-"
                cells.append(f"{difference.mean():+.3f} ({error})")
        print(f"{f'{file}, {what} after {clustering}':<56}" + "".join(f"{cell:>18}" for cell in cells))


def correlation_table(measured: pd.DataFrame) -> None:
    """Print the rank correlation of PIL and each similarity over the files of fuzzy regression with each m."""
    print("\nRank correlation with PIL over the ten files of fuzzy regression, c = 3 to 30, with the same m")
    heads = [f"{m}, {k}" for m in ("m = 1.5", "m = 2") for k in ("k = c", *(f"k = {k}" for k in FIXED))]
    print(f"{'':<56}" + "".join(f"{head:>17}" for head in heads))
    rows = measured[measured.release.isin(REGRESSION) & (measured.order == "B")]
    means = rows.groupby(["file", "clustering", "measure", "release", "k", "c"]).value.mean()
    for file, clustering, what in subjects():
        cells = []
        for release in REGRESSION:
            loss, table = means[file, "", "PIL", release, 0], means[file, clustering, what, release].reset_index()
            for some in [table[table.c == table.k], *(table[table.k == k] for k in FIXED)]:
                cells.append(loss.rank().corr(some.set_index("c").value.rank()))
        print(f"{f'{file}, {what} after {clustering}':<56}" + "".join(f"{cell:17.2f}" for cell in cells))


def save(figure: plt.Figure, folder: Path, name: str, names: tuple[str, ...]) -> None:
    """Write the picture with one legend, below it."""
    handles = {}
    for axes in figure.axes:
        handles |= dict(zip(*axes.get_legend_handles_labels()[::-1], strict=True))
        axes.grid(color="0.92", lw=0.6)
        axes.set_axisbelow(True)
        axes.spines[["top", "right"]].set_visible(False)
    shown = [name for name in names if name in handles]
    columns = min(5, len(shown))
    # A legend is filled column by column; it is read row by row.
    shown = [name for column in range(columns) for name in shown[column::columns]]
    figure.legend([handles[name] for name in shown], shown, loc="outside lower center", ncols=columns, frameon=False)
    figure.savefig(folder / f"clustering_{name}.svg", metadata={"Date": None}, bbox_inches="tight")
    plt.close(figure)


def draw_loss(measured: pd.DataFrame, folder: Path) -> None:
    figure, axes = plt.subplots(1, 2, figsize=(8, 3.4), sharey=True, layout="constrained")
    for ax, file in zip(axes, DEPENDENT, strict=True):
        rows = measured[(measured.order == "B") & (measured.file == file)]
        for release in IPSO:
            ax.axhline(curve(rows, release, "", "PIL", 0).iloc[0], label=release, **STYLES[release])
        for release in REGRESSION:
            values = curve(rows, release, "", "PIL", 0)
            ax.plot(values.index, values, label=release, marker=MARKERS[release], ms=4, **STYLES[release])
        ax.set(title=file, xlabel="models of the regression, c", xticks=COUNTS)
    axes[0].set_ylabel("PIL (lower is better)")
    axes[0].set_ylim(bottom=0)
    save(figure, folder, "pil", IPSO + REGRESSION)


def draw_curves(measured: pd.DataFrame, folder: Path, name: str, panels: list[tuple[str, str]]) -> None:
    """Draw similarities against k, a row for each clustering and measure, a column for each file."""
    names = (*IPSO, *REGRESSION, *REFERENCE)
    size = (8, 0.9 + 2.1 * len(panels))
    figure, grid = plt.subplots(len(panels), 2, figsize=size, sharex=True, sharey="row", layout="constrained")
    for row, (clustering, what) in zip(grid, panels, strict=True):
        for ax, file in zip(row, DEPENDENT, strict=True):
            for release in names:
                values = curve(measured[measured.file == file], release, clustering, what)
                ax.plot(values.index, values, label=release, marker=MARKERS.get(release), ms=3.5, **STYLES[release])
            ax.set(title=f"{clustering}: {file}", xticks=COUNTS)
        row[0].set_ylabel(f"{what}\n(higher is better)")
    for ax in grid[-1]:
        ax.set_xlabel("clusters, k")
    save(figure, folder, name, names)


def draw_cuts(measured: pd.DataFrame, folder: Path, name: str, clustering: str, regression: str) -> None:
    """Draw distances of alpha-cuts against k, a row for each file, a column for each alpha."""
    names = ("IPSO-C", regression, *REFERENCE)
    figure, grid = plt.subplots(2, 4, figsize=(8, 4.4), sharex=True, sharey="col", layout="constrained")
    for row, file in zip(grid, DEPENDENT, strict=True):
        for ax, alpha in zip(row, ALPHAS, strict=True):
            rows = measured[(measured.file == file) & (measured.alpha == alpha)]
            for release in names:
                values = curve(rows, release, clustering, CUTS)
                ax.plot(values.index, values, label=release, marker=MARKERS.get(release), ms=3, **STYLES[release])
            ax.set(title=f"{file}, alpha = {alpha}", xticks=COUNTS[1::2])
        row[0].set_ylabel(f"{CUTS}\n(lower is better)")
    for ax in grid[-1]:
        ax.set_xlabel("clusters, k")
        ax.set_ylim(bottom=0)
    figure.suptitle(clustering, fontsize=9)
    save(figure, folder, name, names)


def draw_against_loss(measured: pd.DataFrame, folder: Path) -> None:
    """Draw both similarities against PIL, with k = c and with k fixed; filled for orig4, hollow for orig9."""
    panels = [(FCM, FUZZY_RAND, "higher"), (FCM2, CUTS, "lower"), (NOISE, CUTS, "lower")]
    figure, grid = plt.subplots(3, 3, figsize=(8, 7.4), sharex=True, sharey="row", layout="constrained")
    for row, (clustering, what, better) in zip(grid, panels, strict=True):
        for ax, k in zip(row, (None, 9, 30), strict=True):
            for file in DEPENDENT:
                rows = measured[(measured.order == "B") & (measured.file == file)]
                for release in (*IPSO, *REGRESSION) if k else REGRESSION:
                    loss, values = curve(rows, release, "", "PIL", 0), curve(rows, release, clustering, what, k)
                    style = {"color": COLOURS[release], "fillstyle": "full" if file == "orig4" else "none", "ms": 4.5}
                    label = release if file == "orig4" else None
                    ax.plot(loss.loc[values.index], values, MARKERS[release], label=label, **style)
            ax.set_title("k = c" if k is None else f"k = {k}")
        row[0].set_ylabel(f"{what}, {clustering.split(',')[0]}\n({better} is better)", fontsize=8)
    for ax in grid[-1]:
        ax.set_xlabel("PIL (lower is better)")
    for file, fill in (("orig4", "full"), ("orig9", "none")):
        grid[0, 0].plot([], [], "o", color="grey", fillstyle=fill, ms=4.5, label=file)
    save(figure, folder, "against_pil", (*IPSO, *REGRESSION, *DEPENDENT))


def draw(measured: pd.DataFrame, folder: Path) -> None:
    plt.rcParams |= {
        "font.size": 9,
        "axes.titlesize": 9,
        "legend.fontsize": 9,
        "svg.fonttype": "none",
        "svg.hashsalt": "shoal",
    }
    draw_loss(measured, folder)
    draw_curves(measured, folder, "crisp", [(CRISP, RAND), (CRISP, JACCARD)])
    draw_curves(measured, folder, "fuzzy_rand", [(name, FUZZY_RAND) for name in (FCM, NOISE, POSSIBILISTIC)])
    draw_cuts(measured, folder, "cuts_fuzzy", FCM2, REGRESSION[1])
    draw_cuts(measured, folder, "cuts_noise", NOISE, REGRESSION[0])
    draw_against_loss(measured, folder)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("census", type=Path)
    parser.add_argument("--repetitions", type=int, default=20)
    parser.add_argument("--jobs", type=int, default=1, help="number of processes")
    parser.add_argument(
        "--output", type=Path, default=Path("build/clustering_similarity"), help="where pictures and means are written"
    )
    parser.add_argument("--dependents-only", action="store_true", help="cluster only the rewritten variables")
    parser.add_argument("--unscaled", action="store_true", help="cluster in the units of the file")
    options = parser.parse_args()
    frame = shoal.read_table(options.census)
    reading = {"dependents_only": options.dependents_only, "unscaled": options.unscaled}
    rows = collect(frame, options.repetitions, options.jobs, reading)
    options.output.mkdir(parents=True, exist_ok=True)
    values = rows.groupby(KEYS).value
    table = pd.DataFrame({"mean": values.mean(), "sd": values.std(ddof=0)}).reset_index()
    table.to_csv(options.output / "clustering_means.csv", index=False, float_format="%.5g")
    loss_tables(rows)
    similarity_tables(rows)
    difference_table(rows)
    correlation_table(rows)
    draw(rows, options.output)


if __name__ == "__main__":
    main()
