"""The choice of m1, m2 and c in fuzzy microaggregation of Census: a grid search, and its best settings repeated.

    python studies/fuzzy_constraints/parameter_choice.py census.csv [--seeds 3] [--jobs 1] [-k 20] [--output FOLDER]

The paper of V. Torra, Fuzzy microaggregation for data with constraints, leaves open how these parameters are to be
chosen. `shoal.tune` evaluates its grid of fuzzy c-means, with entropy and without, for k = 3, 5, 10 and 20, all columns
in one block, once for every seed. For every k the setting with the lowest mean score is released again with five other
seeds, since the best of many is partly chance, and compared with the default settings and with MDAV. The tables of "The
choice of m1, m2 and c" in docs/studies/fuzzy_constraints.md are printed as on that page, with the values in its text,
and the map of seed 0 is drawn.

Trials are written to the folder as they come, and none is evaluated twice: after an interruption the same command
continues. Begin in a new folder after a change in shoal. -k 20 is the quick way: the same values for one k.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import warnings
from collections.abc import Iterable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, wait
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import pandas as pd

import shoal
from shoal.errors import ShoalWarning

SIZES = (3, 5, 10, 20)
COLUMNS = 13  # of Census, all in one block
PARAMETERS = {"fuzzy": ("m", "m2"), "entropy": ("lam", "lam2")}
DEFAULT = {"first": 1.2, "second": 1.2, "part": 1.0}
OTHER_SEEDS, EIGHTH_SEEDS = range(11, 16), range(1, 4)
DRAW_K, DRAW_M2 = 5, (1.02, 1.2, 1.35)
MEASURES = ("score", "transparency_attack")
MAP = "tune_fuzzy.svg"


@dataclass(frozen=True)
class Setting:
    """The setting of a release: m1 and m2, or lambda1 and lambda2, and the number of clusters; MDAV has none."""

    method: str
    k: int
    first: float = 0.0
    second: float = 0.0
    clusters: int = 0

    @property
    def options(self) -> dict[str, str]:
        """The options of `shoal.protect`."""
        if self.method not in PARAMETERS:
            return {"method": self.method}
        first, second = PARAMETERS[self.method]
        return {
            "method": f"{self.method}:{first}={self.first},n_clusters={self.clusters}",
            "replace": f"membership-draw:{second}={self.second}",
        }

    def __str__(self) -> str:
        return f"{self.first:g}, {self.second:g}, {self.clusters}"


def grid_search(census: Path, folder: Path, sizes: Sequence[int], seed: int) -> pd.DataFrame:
    """Evaluate the grid with one seed, and return a row for each trial; seed 0 draws the map."""
    methods, log = ("mdav", *PARAMETERS), folder / f"seed_{seed}.trials.jsonl"
    tuning = shoal.tune(census, methods=methods, k=sizes, blocks=COLUMNS, resume=log, seed=seed)
    if tuning.interrupted:
        raise KeyboardInterrupt
    if seed == 0:
        tuning.map(folder / MAP)
    rows = []
    for trial in tuning.measured:
        method, k = trial.settings["method"], trial.settings["k"]
        if method in PARAMETERS and k in sizes:
            first, second = (trial.settings[name] for name in PARAMETERS[method])
            part, clusters = trial.settings["clusters"], trial.request.masking.written_method["n_clusters"]
            measures = {"score": trial.score, "attack": trial.measures.transparency_attack}
            setting = {"method": method, "k": k, "first": first, "second": second, "part": part, "clusters": clusters}
            rows.append(setting | {"seed": seed} | measures)
    return pd.DataFrame(rows)


def release_measures(census: Path, setting: Setting, seed: int) -> dict[str, float]:
    """Make one release, and measure it."""
    warnings.simplefilter("ignore", ShoalWarning)
    release = shoal.protect(census, setting.k, seed=seed, **setting.options)
    evaluation = release.evaluate(measures=MEASURES)
    return {
        "groups": len(release.partitions[0].sizes),
        "score": float(evaluation.score),
        "risk": evaluation.score.risk,
        "loss": evaluation.score.loss,
        "linkage": evaluation.score.distance_linkage,
        "attack": float(evaluation.transparency_attack),
    }


def results(tasks: Sequence[Future], logs: Iterable[Path] = ()) -> list:
    """Return the results of tasks, and report their progress meanwhile."""
    logs, left = list(logs), set(tasks)
    while left:
        left = wait(left, timeout=2).not_done
        trials = sum(max(log.read_bytes().count(b"\n") - 1, 0) for log in logs if log.exists())  # below a head
        what = f"searches done, {trials} trials" if logs else "releases done"
        print(f"\r{len(tasks) - len(left)} of {len(tasks)} {what}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return [task.result() for task in tasks]


def mean_scores(
    pool: ProcessPoolExecutor, census: Path, folder: Path, sizes: Sequence[int], seeds: int
) -> pd.DataFrame:
    """Search with every seed, and return the mean score and the mean result of the attack of each setting."""
    tasks = [pool.submit(grid_search, census, folder, sizes, seed) for seed in range(seeds)]
    trials = pd.concat(results(tasks, [folder / f"seed_{seed}.trials.jsonl" for seed in range(seeds)]))
    trials.to_csv(folder / "trials.csv", index=False, float_format="%.6g")
    settings = trials.groupby(["method", "k", "first", "second", "part", "clusters"])
    return settings[["score", "attack"]].mean().reset_index()


class Releases:
    """The measures of releases with other seeds: each release is made once, and looked up by setting and seeds."""

    def __init__(
        self, pool: ProcessPoolExecutor, census: Path, wanted: Iterable[tuple[Setting, Sequence[int]]]
    ) -> None:
        each = list(dict.fromkeys((setting, seed) for setting, seeds in wanted for seed in seeds))
        measures = results([pool.submit(release_measures, census, *one) for one in each])
        self._measures = dict(zip(each, measures, strict=True))

    def of(self, setting: Setting, seeds: Sequence[int] = OTHER_SEEDS) -> pd.DataFrame:
        """Return the measures of a setting, a row for each seed; MDAV is the same with all of them."""
        return pd.DataFrame([self._measures[setting, seed] for seed in seeds])


def setting_of(row: pd.Series) -> Setting:
    return Setting(row.method, int(row.k), row["first"], row.second, int(row.clusters))


def best(means: pd.DataFrame, method: str, k: int) -> pd.Series:
    """Return the setting with the lowest mean score."""
    own = means[(means.method == method) & (means.k == k)]
    return own.loc[own.score.idxmin()]


def default(means: pd.DataFrame, k: int) -> pd.Series:
    """Return the default setting of fuzzy microaggregation."""
    own = means[(means.method == "fuzzy") & (means.k == k)]
    return own[(own[list(DEFAULT)] == pd.Series(DEFAULT)).all(axis=1)].iloc[0]


def quarter_and_eighth(records: int, k: int) -> list[Setting]:
    return [Setting("fuzzy", k, 1.1, 1.05, c) for c in (records // k // 4, round(records // k / 8))]


def draw_settings(records: int) -> list[Setting]:
    """Return the settings that show the effect of a larger m2 on the score and on the attack."""
    return [Setting("fuzzy", DRAW_K, 1.1, m2, records // DRAW_K // 4) for m2 in DRAW_M2]


def line(*cells: str) -> None:
    print("".join(f"| {cell} " if cell else "| " for cell in cells) + "|")


def head(title: str, *cells: str) -> None:
    print(f"\n{title}\n")
    line(*cells)
    print("|" + "---|" * len(cells))


def best_table(means: pd.DataFrame, releases: Releases, sizes: Sequence[int]) -> None:
    names = ("groups", "score in the search", "score, five other seeds", "risk", "loss", "linkage", "attack")
    head("The best of the search", "k", "m1, m2, c", *names)
    for k in sizes:
        for title, row in (("default", default(means, k)), ("best", best(means, "fuzzy", k))):
            repeated = releases.of(setting_of(row))
            score = f"**{repeated.score.mean():.1f}**" if title == "best" else f"{repeated.score.mean():.1f}"
            ends = f"({repeated.score.min():.1f} to {repeated.score.max():.1f})"
            cells = [f"{repeated.groups.mean():.0f}", f"{row.score:.1f}", f"{score} {ends}", *parts(repeated)]
            line(str(k) if title == "default" else "", f"{title}: {setting_of(row)}", *cells)
        repeated = releases.of(Setting("mdav", k))
        line("", "MDAV", f"{repeated.groups.mean():.0f}", "", f"{repeated.score.mean():.1f}", *parts(repeated))


def parts(repeated: pd.DataFrame) -> list[str]:
    return [f"{repeated[name].mean():.1f}" for name in ("risk", "loss", "linkage", "attack")]


def lowest_with(means: pd.DataFrame, column: str, k: int, values: Sequence[float]) -> list[float]:
    """Return the lowest mean scores with one parameter fixed at each of some values."""
    return [means.score[(means.k == k) & (means[column] == value)].min() for value in values]


def influence_table(means: pd.DataFrame, sizes: Sequence[int]) -> None:
    fuzzy, entropy = (means[means.method == method] for method in PARAMETERS)
    head("The lowest mean score in the search with one parameter fixed", "", *(f"k = {k}" for k in sizes))

    def influence_line(title: str, rows: pd.DataFrame, column: str, values: Sequence[float]) -> None:
        line(title, *(" / ".join(f"{score:.1f}" for score in lowest_with(rows, column, k, values)) for k in sizes))

    for name, column in (("m1", "first"), ("m2", "second")):
        values = sorted(fuzzy[column].unique())
        for some in (values[:3], values[3:]):
            influence_line(f"{name} = {' / '.join(f'{value:g}' for value in some)}", fuzzy, column, some)
    multiples = sorted(fuzzy.part.unique())
    influence_line(f"c = {', '.join(str(Fraction(one)) for one in multiples)} times n / k", fuzzy, "part", multiples)
    influence_line("entropy, c as above", entropy, "part", multiples)


def eighth_table(releases: Releases, sizes: Sequence[int], records: int) -> None:
    head("Fewer clusters: m1 = 1.1, m2 = 1.05, mean score of seeds 1 to 3", "", *(f"k = {k}" for k in sizes))
    pairs = zip(*(quarter_and_eighth(records, k) for k in sizes), strict=True)
    for title, settings in zip(("a quarter of n / k", "an eighth"), pairs, strict=True):
        scores = [releases.of(setting, EIGHTH_SEEDS).score.mean() for setting in settings]
        line(title, *(f"{score:.1f} (c = {one.clusters})" for one, score in zip(settings, scores, strict=True)))


def draw_table(means: pd.DataFrame, releases: Releases, records: int) -> None:
    some = draw_settings(records)
    title = f"The effect of m2: m1 = {some[0].first}, c = {some[0].clusters}, k = {DRAW_K}"
    head(title, "m2", "score in the search", "attack", "score, five other seeds", "attack")
    for setting in some:
        (row,) = [row for _, row in means.iterrows() if setting_of(row) == setting]
        repeated = releases.of(setting)
        values = (row.score, row.attack, repeated.score.mean(), repeated.attack.mean())
        line(f"{setting.second:g}", *(f"{value:.1f}" for value in values))


def entropy_table(means: pd.DataFrame, releases: Releases, sizes: Sequence[int]) -> None:
    entropy = means[means.method == "entropy"]
    rows = [best(means, "entropy", k) for k in sizes]
    head("With entropy", "", *(f"k = {k}" for k in sizes))
    line("best: lambda1, lambda2, c", *(str(setting_of(row)) for row in rows))
    line("score in the search", *(f"{row.score:.1f}" for row in rows))
    line("score, five other seeds", *(f"{releases.of(setting_of(row)).score.mean():.1f}" for row in rows))
    for name, column in (("lambda1", "first"), ("lambda2", "second")):
        lowest = [lowest_with(entropy, column, k, sorted(entropy[column].unique())) for k in sizes]
        line(f"lowest scores with each {name}", *(f"{min(some):.1f} to {max(some):.1f}" for some in lowest))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("census", type=Path)
    parser.add_argument("--seeds", type=int, default=3, help="how many times the grid is searched")
    parser.add_argument("--jobs", type=int, default=1, help="number of processes, at most one for each seed")
    parser.add_argument("-k", type=int, nargs="+", choices=SIZES, default=SIZES, help="some of the sizes only")
    parser.add_argument(
        "--output", type=Path, default=Path("build/parameter_choice"), help="where trials and map are written"
    )
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    sizes, records = sorted(set(options.k)), len(shoal.read_table(options.census))
    with ProcessPoolExecutor(options.jobs) as pool:
        try:
            means = mean_scores(pool, options.census, options.output, sizes, options.seeds)
            rows = [default(means, k) for k in sizes] + [best(means, method, k) for method in PARAMETERS for k in sizes]
            wanted = [(setting_of(row), OTHER_SEEDS) for row in rows]
            wanted += [(Setting("mdav", k), OTHER_SEEDS) for k in sizes]
            wanted += [(setting, EIGHTH_SEEDS) for k in sizes for setting in quarter_and_eighth(records, k)]
            wanted += [(setting, OTHER_SEEDS) for setting in draw_settings(records) if DRAW_K in sizes]
            releases = Releases(pool, options.census, wanted)
        except KeyboardInterrupt:
            for process in multiprocessing.active_children():
                process.terminate()  # a search that waits in the pool would begin now, and cannot be cancelled
            sys.exit("\nStopped. The same command continues from here.")
    best_table(means, releases, sizes)
    influence_table(means, sizes)
    eighth_table(releases, sizes, records)
    if DRAW_K in sizes:
        draw_table(means, releases, records)
    entropy_table(means, releases, sizes)


if __name__ == "__main__":
    main()
