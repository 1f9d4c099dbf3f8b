"""The long search: m1, m2 and c in fuzzy microaggregation of Census, over the whole grid of `shoal tune`.

`python -m studies.fuzzy_constraints --long`. The grid is that of fuzzy c-means, with entropy and without, for k = 3, 5,
10 and 20, all columns in one block, once for every seed. For every k the setting with the lowest mean score is released
again with five other seeds, since the best of many is partly chance, and compared with the default settings and MDAV.

Trials are written to build/long_search as they come, and none is evaluated twice: after an interruption the same
command continues. Empty that folder after a change in shoal.
"""

from __future__ import annotations

import multiprocessing
import sys
import warnings
from collections.abc import Iterable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, wait
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd

import shoal
from shoal.errors import ShoalWarning
from studies.results import Study

SEEDS = 3  # how many times the grid is searched
TRIALS = Path("build/long_search")
SIZES = (3, 5, 10, 20)
COLUMNS = 13  # of Census, all in one block
PARAMETERS = {"fuzzy": ("m", "m2"), "entropy": ("lam", "lam2")}
DEFAULT = {"first": 1.2, "second": 1.2, "part": 1.0}
OTHER_SEEDS, EIGHTH_SEEDS = range(11, 16), range(1, 4)
DRAW_K, DRAW_M2 = 5, (1.02, 1.2, 1.35)
MEASURES = ("score", "transparency_attack")
MAP = "long_search.svg"


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


def best_table(means: pd.DataFrame, releases: Releases, sizes: Sequence[int]) -> pd.DataFrame:
    """Return the default and the best setting of every k, and MDAV, released again with other seeds."""
    rows: list[dict[str, Any]] = []
    for k in sizes:
        for title, row in (("default", default(means, k)), ("best", best(means, "fuzzy", k)), ("MDAV", None)):
            setting = Setting("mdav", k) if row is None else setting_of(row)
            repeated = releases.of(setting)
            chosen = {} if row is None else {"m1": setting.first, "m2": setting.second, "c": setting.clusters}
            found = {} if row is None else {"score in the search": row.score}
            rows.append({"k": k, "setting": title} | chosen | found | dict(repeated.mean()) | ends(repeated))
    return pd.DataFrame(rows)


def ends(repeated: pd.DataFrame) -> dict[str, float]:
    return {"lowest": repeated.score.min(), "highest": repeated.score.max()}


def influence_table(means: pd.DataFrame, sizes: Sequence[int]) -> pd.DataFrame:
    """Return the lowest mean score in the search with one parameter fixed and the others free."""
    names = {"fuzzy": ("m1", "m2", "c of n / k"), "entropy": ("lambda1", "lambda2", "c of n / k, entropy")}
    rows = []
    for method, titles in names.items():
        own = means[means.method == method]
        for title, column in zip(titles, ("first", "second", "part"), strict=True):
            for value in sorted(own[column].unique()):
                scores = {f"k = {k}": own.score[(own.k == k) & (own[column] == value)].min() for k in sizes}
                rows.append({"parameter": title, "value": str(Fraction(value)) if column == "part" else value} | scores)
    return pd.DataFrame(rows)


def eighth_table(releases: Releases, sizes: Sequence[int], records: int) -> pd.DataFrame:
    """Return the scores with a quarter and an eighth of n / k clusters."""
    rows = []
    for k in sizes:
        for title, setting in zip(("1/4", "1/8"), quarter_and_eighth(records, k), strict=True):
            score = releases.of(setting, EIGHTH_SEEDS).score.mean()
            rows.append({"k": k, "c of n / k": title, "c": setting.clusters, "score": score})
    return pd.DataFrame(rows)


def draw_table(means: pd.DataFrame, releases: Releases, records: int) -> pd.DataFrame:
    """Return the effect of m2 on the score and on the attack."""
    rows = []
    for setting in draw_settings(records):
        (row,) = [row for _, row in means.iterrows() if setting_of(row) == setting]
        repeated = releases.of(setting)
        searched = {"score in the search": row.score, "attack in the search": row.attack}
        again = {"score": repeated.score.mean(), "attack": repeated.attack.mean()}
        rows.append({"k": DRAW_K, "m1": setting.first, "m2": setting.second, "c": setting.clusters} | searched | again)
    return pd.DataFrame(rows)


def entropy_table(means: pd.DataFrame, releases: Releases, sizes: Sequence[int]) -> pd.DataFrame:
    """Return the best settings with entropy."""
    rows = []
    for k in sizes:
        row = best(means, "entropy", k)
        setting, again = setting_of(row), releases.of(setting_of(row)).score.mean()
        chosen = {"lambda1": setting.first, "lambda2": setting.second, "c": setting.clusters}
        rows.append({"k": k} | chosen | {"score in the search": row.score, "score": again})
    return pd.DataFrame(rows)


def search(study: Study) -> None:
    """Search, and write the tables and the map of seed 0."""
    options = study.options
    census = options.data / "census.csv"
    TRIALS.mkdir(parents=True, exist_ok=True)
    sizes, records = SIZES, len(shoal.read_table(census))
    with ProcessPoolExecutor(options.jobs) as pool:
        try:
            means = mean_scores(pool, census, TRIALS, sizes, SEEDS)
            rows = [default(means, k) for k in sizes] + [best(means, method, k) for method in PARAMETERS for k in sizes]
            wanted: list[tuple[Setting, Sequence[int]]] = [(setting_of(row), OTHER_SEEDS) for row in rows]
            wanted += [(Setting("mdav", k), OTHER_SEEDS) for k in sizes]
            wanted += [(setting, EIGHTH_SEEDS) for k in sizes for setting in quarter_and_eighth(records, k)]
            wanted += [(setting, OTHER_SEEDS) for setting in draw_settings(records)]
            releases = Releases(pool, census, wanted)
        except KeyboardInterrupt:
            for process in multiprocessing.active_children():
                process.terminate()  # a search that waits in the pool would begin now, and cannot be cancelled
            sys.exit("\nStopped. The same command continues from here.")
    study.table("long_best", best_table(means, releases, sizes), "The best of the search, and five other seeds")
    study.table("long_influence", influence_table(means, sizes), "The lowest mean score with one parameter fixed")
    study.table("long_eighth", eighth_table(releases, sizes, records), "Fewer clusters: m1 = 1.1, m2 = 1.05")
    study.table("long_draw", draw_table(means, releases, records), "The effect of m2")
    study.table("long_entropy", entropy_table(means, releases, sizes), "With entropy")
    (options.output / MAP).write_bytes((TRIALS / MAP).read_bytes())
    study.mark(options.output / MAP)
    study.end()
