"""Record what shoal releases, measures and decides, and compare it with what another version did.

    python benchmarks/same_results.py record before.json     # with one version installed
    python benchmarks/same_results.py compare before.json    # with the other

Every method and every replacement on Census, Tarragona, EIA and the built-in survey, with strata, weights, blocks,
missing values, other kinds and rules; then measures, comparisons, searches and reports. A release is recorded as a
digest of every column, a plan as its decisions, a report as its numbers. Words may differ.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import io
import json
import os
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import shoal

DATA = Path(os.environ.get("SHOAL_REFERENCE_DATA", Path(__file__).parents[2] / "shared" / "data"))
RULES = Path(__file__).parents[1] / "tests" / "edits" / "seed_rules.sch"

GROUPING = [
    "mdav", "mdav:variant=two-k", "mdav:variant=thesis", "vmdav", "vmdav:gamma=1.1", "md", "cbfs", "tfrp", "k-means",
    "mu-approx", "mst", "mhm", "hac", "hac:linkage=complete", "refine:steps=25", "at-least-k",
]  # fmt: skip
REPLACING = ["mean", "median", "mode", "geometric-mean", "order-statistic:q=0.25", "medoid"]
SYNTHETIC = ["hybrid", "ipso", "ipso:variant=B", "muralidhar-sarathy:alpha=0.5", "fuzzy-regression:n_clusters=5"]
IN_GROUPS = ["hybrid", "hybrid:small_groups=merge", "ipso", "muralidhar-sarathy:alpha=0.3"]
SOFT = ["fuzzy", "fuzzy:m=1.5", "entropy", "fuzzy:n_clusters=40", "entropy:lam=5"]
DRAWS = ["membership-draw:m2=1.3", "membership-draw:per_variable=true", "membership-draw:at_least=none"]
SURVEY = {
    "roles": {"household_id": "identifier"},
    "columns": [
        "age", "household_size", "wage_income", "self_employment_income", "capital_income", "transfers",
        "gross_income", "tax", "net_income", "housing_cost", "savings",
    ],
    "kinds": {"household_size": "continuous"},
}  # fmt: skip
NOT_DECIDED = {"outcome": {"notes", "gower_blocks"}, "input": {"path"}, "output": {"path"}}


def files() -> dict[str, pd.DataFrame]:
    """Return the tables."""
    eia = pd.read_csv(DATA / "eia.csv")
    return {
        "census": pd.read_csv(DATA / "census.csv"),
        "tarragona": pd.read_csv(DATA / "tarragona.csv"),
        "eia": eia[["utilityid", *eia.columns[5:]]],
        "survey": shoal.datasets.households(600, seed=1),
    }


Case = tuple[str, str, dict[str, Any]]  # its name, the table, the arguments of `protect`


def cases(tables: dict[str, pd.DataFrame]) -> Iterator[Case]:
    """Give every call of `protect`."""
    for name, table in tables.items():
        base: dict[str, Any] = SURVEY if name == "survey" else {}
        yield from grouping_cases(name, base)
        yield from drawing_cases(name, base)
        yield from rewriting_cases(name, table, base)
        yield from block_cases(name, base)
    yield from survey_cases(tables["survey"])
    yield from missing_cases()
    yield from rule_cases()
    yield "too few", "census", {"k": 2000}
    yield "no method", "census", {"k": 5, "method": "mdaf"}


def grouping_cases(name: str, base: dict[str, Any]) -> Iterator[Case]:
    """Every partition algorithm, and every replacement by groups."""
    for method in GROUPING:
        for k in (3, 10) if name in ("census", "tarragona") else (5,):
            yield f"{name} {method} k={k}", name, base | {"k": k, "method": method}
    for replace in REPLACING:
        yield f"{name} mdav+{replace}", name, base | {"k": 4, "replace": replace}


def drawing_cases(name: str, base: dict[str, Any]) -> Iterator[Case]:
    """Fuzzy methods, and centres drawn by membership."""
    for method in SOFT:
        yield f"{name} {method}", name, base | {"k": 5, "method": method}
    for draw in DRAWS:
        yield f"{name} fuzzy+{draw}", name, base | {"k": 5, "method": "fuzzy", "replace": draw}
    yield f"{name} entropy+lam2", name, base | {"k": 5, "method": "entropy", "replace": "membership-draw:lam2=4"}


def rewriting_cases(name: str, table: pd.DataFrame, base: dict[str, Any]) -> Iterator[Case]:
    """Synthetic and hybrid data, of the whole file and in groups."""
    half = {"census": 7, "tarragona": 7, "eia": 5, "survey": 0}[name]
    confidential = list(table.columns[:half]) or ["wage_income", "gross_income"]
    for replace in SYNTHETIC:
        yield f"{name} {replace}", name, base | {"k": 30, "replace": replace, "confidential": confidential}
    for replace in IN_GROUPS:
        choice = {"k": 60, "method": "mdav", "replace": replace, "confidential": confidential}
        yield f"{name} groups+{replace}", name, base | choice


def block_cases(name: str, base: dict[str, Any]) -> Iterator[Case]:
    """Blocks of variables, one variable at a time, and distances that are not standardised."""
    for blocks in (1, 3):
        yield f"{name} blocks={blocks}", name, base | {"k": 5, "blocks": blocks}
        yield f"{name} vmdav blocks={blocks}", name, base | {"k": 5, "blocks": blocks, "method": "vmdav"}
    yield f"{name} optimal", name, base | {"k": 5, "blocks": 1, "method": "optimal-univariate"}
    yield f"{name} raw", name, base | {"k": 5, "standardize": False}


def survey_cases(table: pd.DataFrame) -> Iterator[Case]:
    """Strata, weights and categories."""
    base: dict[str, Any] = SURVEY
    within = base | {"strata": "region"}
    yield "survey strata and weights", "survey", within | {"k": 5, "weights": "survey_weight"}
    yield "survey strata fuzzy", "survey", within | {"k": 5, "method": "fuzzy"}
    yield "survey strata hybrid", "survey", within | {
        "k": 30, "replace": "hybrid", "confidential": ["wage_income"], "blocks": None,
    }  # fmt: skip
    rewritten = {"columns": ["age", "savings", "housing_cost", "tax"], "confidential": ["savings", "housing_cost"]}
    for replace in SYNTHETIC:
        yield f"survey four {replace}", "survey", base | rewritten | {"k": 40, "replace": replace}
    yield "survey four strata", "survey", within | rewritten | {"k": 8, "replace": "hybrid:small_groups=merge"}
    every = [name for name in table.columns if name not in ("household_id", "survey_weight")]
    mixed = base | {"k": 5, "columns": every, "kinds": {"region": "nominal"}}
    yield "survey mixed", "survey", mixed
    yield "survey mixed hac", "survey", mixed | {"method": "hac"}


def missing_cases() -> Iterator[Case]:
    """Missing values that stay, and that are refused."""
    for method in ("mdav", "mdav:variant=two-k"):
        yield f"holes {method}", "holes", {"k": 4, "missing": "keep", "method": method}
    yield "holes median", "holes", {"k": 4, "missing": "keep", "replace": "median", "blocks": 4}
    yield "holes refused", "holes", {"k": 4}


def rule_cases() -> Iterator[Case]:
    """Edit rules, kept, repaired and refused."""
    sums = ["PTOTVAL == POTHVAL + PEARNVAL"]
    more = [*sums, "AGI >= 0", "TAXINC <= 2 * AGI or FEDTAX >= 0", "FEDTAX * 1 >= 0"]
    for label, rules in (("sum", sums), ("more", more)):
        for method in ("mdav", "vmdav", "refine:steps=10", "fuzzy", "entropy"):
            yield f"rules {label} {method}", "census", {"k": 6, "edits": rules, "method": method}
    yield "rules one block", "census", {"k": 6, "edits": sums, "blocks": 13}
    yield "rules refused", "census", {"k": 30, "edits": sums, "replace": "hybrid", "confidential": ["AGI"]}
    yield "rules median", "census", {"k": 6, "edits": ["AGI >= 0"], "replace": "median"}
    yield "rules broken", "census", {"k": 6, "edits": ["AGI == TAXINC + FEDTAX"]}
    yield "rules repaired", "census", {"k": 6, "edits": ["AGI == TAXINC + FEDTAX"], "repair": True}
    yield "seed rules", "seed", {"k": 10, "edits": RULES}
    yield "seed rules medoid", "seed", {"k": 10, "edits": RULES, "replace": "medoid"}


def with_holes(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table in which every twentieth value is missing."""
    rng = np.random.default_rng(5)
    return table.mask(rng.random(table.shape) < 0.05)


def with_seed_columns(table: pd.DataFrame) -> pd.DataFrame:
    """Return Census with the three columns of the paper on edit constraints."""
    frame = table[sorted(table)].set_axis([f"V{number}" for number in range(1, 14)], axis=1)
    inverse = 1 / frame.V11
    return frame.assign(V14=frame.V9.astype(float) + frame.V10, V15=inverse, V16=frame.V5 * inverse)


def digest(values: Any) -> str:
    """Return a digest of a column: its type and every value, to the last bit."""
    column = pd.Series(values).reset_index(drop=True)
    if pd.api.types.is_numeric_dtype(column) and not isinstance(column.dtype, pd.CategoricalDtype):
        content = np.ascontiguousarray(column.to_numpy()).tobytes()
    else:
        content = "\x1f".join("" if value is None or value != value else str(value) for value in column).encode()
    return hashlib.sha256(str(column.dtype).encode() + content).hexdigest()[:16]


def decisions(plan: Any) -> dict[str, Any]:
    """Return what a plan decided: everything but words, versions and places."""
    content = json.loads(plan.model_dump_json())
    for name in ("versions", "asked", "key"):  # the key is drawn from the system
        content.pop(name, None)
    for section, left_out in NOT_DECIDED.items():
        for name in left_out:
            (content.get(section) or {}).pop(name, None)
    return content


def numbers(content: Any) -> list[str]:
    """Return every number in a document, in order; a text is none."""
    if isinstance(content, dict):
        return [one for value in content.values() for one in numbers(value)]
    if isinstance(content, list | tuple):
        return [one for value in content for one in numbers(value)]
    if isinstance(content, bool) or content is None or isinstance(content, str):
        return []
    return [repr(content)]


def attempt(make: Callable[[], Any]) -> Any:
    """Return what a call gives, or the name of its error."""
    with warnings.catch_warnings(), contextlib.redirect_stderr(io.StringIO()):
        warnings.simplefilter("ignore")
        try:
            return make()
        except Exception as error:
            return {"error": type(error).__name__}


def one_release(table: pd.DataFrame, arguments: dict[str, Any], measured: bool) -> dict[str, Any]:
    """Protect a table and return digests of all there is."""
    release = shoal.protect(table, seed=11, **arguments)
    found = {
        "columns": {str(name): digest(release.data[name]) for name in release.data.columns},
        "labels": [digest(partition.labels) for partition in release.partitions],
        "plan": decisions(release.plan),
    }
    if measured:
        found["measures"] = sorted(numbers(release.evaluate(seed=3).to_dict()))
    return found


def searches(tables: dict[str, pd.DataFrame]) -> dict[str, Callable[[], Any]]:
    """Return comparisons and searches by name."""

    def compared(name: str, **options: Any) -> Any:
        found = shoal.compare(tables[name], seed=2, **options).to_dict()
        rows = [row for row in found["rows"] if row["method"] != "refine"]  # which searches by the clock
        for row in rows:
            del row["seconds"]
        return {"rows": [sorted(map(str, row.values())) for row in rows], "left": sorted(found["left_out"])}

    def tuned(name: str, **options: Any) -> Any:
        found = shoal.tune(tables[name], seed=2, **options).to_dict()
        for trial in found["trials"]:
            del trial["seconds"]
        return {
            "chosen": found["chosen"],
            "fixed": found["best_fixed"],
            "front": found["front"],
            "numbers": numbers(found["trials"]),
        }

    return {
        "compare all": lambda: compared("tarragona", k=[5, 10]),
        "compare confidential": lambda: compared(
            "census", k=[40], methods=["mdav", "fuzzy", "hybrid", "ipso"], confidential=["AGI", "FEDTAX", "FICA"]
        ),
        "compare rules": lambda: compared("census", k=5, methods=["mdav", "fuzzy"], edits=["AGI >= 0"]),
        "tune": lambda: tuned("census", trials=40, k=[3, 5, 10]),
        "tune strata": lambda: tuned("survey", trials=12, k=[5, 10], strata="region", **SURVEY),
        "tune optuna": lambda: tuned("tarragona", trials=12, search="optuna", methods=["mdav", "fuzzy"]),
        "tune synthetic": lambda: tuned(
            "census", trials=14, k=[20, 40], methods=["muralidhar-sarathy", "fuzzy-regression", "ipso", "hybrid"]
        ),
    }


def commands(folder: Path, tables: dict[str, pd.DataFrame]) -> dict[str, Any]:
    """Run the command line and return the numbers and bytes of what it writes."""
    found: dict[str, Any] = {}

    def run(name: str, *words: str) -> None:
        done = subprocess.run(
            [sys.executable, "-m", "shoal", *words], cwd=folder, capture_output=True, text=True, check=False
        )
        found[f"{name} exit"] = done.returncode
        if "--json" in words and done.stdout:
            found[name] = numbers(json.loads(done.stdout))

    for name, table in tables.items():
        table.to_csv(folder / f"{name}.csv", index=False)
    (folder / "rules.txt").write_text("PTOTVAL == POTHVAL + PEARNVAL\nAGI >= 0\n")
    run("describe", "describe", "survey.csv", "--json")
    run("protect", "protect", "census.csv", "-k", "5", "-o", "masked.csv", "--seed", "4", "-q")
    run("again", "protect", "--plan", "masked.csv.plan.toml", "-o", "again.csv", "-q")
    run("rules", "protect", "census.csv", "-k", "5", "-o", "ruled.csv", "--seed", "4", "-q", "--edits", "rules.txt")
    run("explain", "protect", "census.csv", "-k", "5", "--edits", "rules.txt", "--explain")
    run("check", "check", "ruled.csv", "--edits", "rules.txt", "--json")
    run("measure", "measure", "census.csv", "masked.csv", "--plan", "masked.csv.plan.toml", "--json")
    run("bare measure", "measure", "census.csv", "masked.csv", "--json", "--quick")
    for audience in ("internal", "public"):
        words = ("report", "census.csv", "masked.csv", "--plan", "masked.csv.plan.toml", "--json", "--audience")
        run(f"report {audience}", *words, audience)
    run("demo", "demo", "--folder", "demo", "-q")
    for written in ("masked.csv", "again.csv", "ruled.csv", "demo/masked.csv"):
        path = folder / written
        found[f"bytes of {written}"] = hashlib.sha256(path.read_bytes()).hexdigest() if path.exists() else None
    return found


def everything(only: str) -> dict[str, Any]:
    """Return all that is recorded."""
    tables = files()
    extended = {**tables, "holes": with_holes(tables["census"]), "seed": with_seed_columns(tables["census"])}
    found: dict[str, Any] = {}
    measured = {"mdav k=10", "fuzzy", "hybrid", "ipso", "blocks=3", "mdav k=5", "mdav+median"}
    for name, table, arguments in cases(tables):
        if only in name:
            is_measured = any(name.endswith(f" {end}") for end in measured) and table != "eia"
            is_measured |= name in ("survey mixed", "holes mdav", "survey strata and weights", "rules sum mdav")
            data = extended[table]
            found[name] = attempt(lambda d=data, a=arguments, m=is_measured: one_release(d, dict(a), m))
            print(".", end="", flush=True)
    for name, make in searches(tables).items():
        if only in name:
            found[name] = attempt(make)
            print(".", end="", flush=True)
    if only in "commands":
        with tempfile.TemporaryDirectory() as folder:
            found["commands"] = commands(Path(folder), tables)
    print()
    return json.loads(json.dumps(found))


def differences(before: Any, after: Any, where: str = "") -> Iterator[str]:
    """Say where two documents differ."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key in [*before, *(key for key in after if key not in before)]:
            if key not in before or key not in after:
                yield f"{where} {key}: only {'before' if key in before else 'after'}"
            else:
                yield from differences(before[key], after[key], f"{where} / {key}")
    elif before != after:
        yield f"{where}: {str(before)[:150]} -> {str(after)[:150]}"


def main() -> None:
    """Record, or compare with what was recorded."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["record", "compare"])
    parser.add_argument("file", type=Path)
    parser.add_argument("--only", default="", help="only cases with this in their name")
    options = parser.parse_args()
    found = everything(options.only)
    if options.what == "record":
        options.file.write_text(json.dumps(found))
        print(f"{len(found)} cases recorded in {options.file}")
        return
    before = json.loads(options.file.read_text())
    differing = list(differences({key: value for key, value in before.items() if options.only in key}, found))
    print("\n".join(differing) or f"all {len(found)} cases are as they were")
    sys.exit(bool(differing))


if __name__ == "__main__":
    main()
