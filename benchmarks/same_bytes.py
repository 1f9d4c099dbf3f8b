"""The same plan on other processors: how many released values differ, method by method.

    python benchmarks/same_bytes.py                       every method and replacement, on every processor below
    python benchmarks/same_bytes.py --only fuzzy          only cases with this in their name
    python benchmarks/same_bytes.py --processor "no FMA"  only this processor beside this machine's own

Libraries choose their code by the processor they find. Here they are told to find another one, each time in a process
of its own: OpenBLAS and NumPy by environment variables of theirs, the C library's exp and log by a tunable (Linux),
numba by the name of a processor. A line is a release; a column is a processor, with the number of released values
that differ from those of this machine, or = if none does.
"""

from __future__ import annotations

import argparse
import os
import pickle
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

OLDER_NUMPY = "X86_V3 X86_V4 AVX512_ICL AVX512_SPR"
OLDER_LIBM = "glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4,-AVX,-AVX512F"
PROCESSORS = {
    "Prescott": {"OPENBLAS_CORETYPE": "Prescott"},
    "Haswell": {"OPENBLAS_CORETYPE": "Haswell"},
    "Zen": {"OPENBLAS_CORETYPE": "Zen"},
    "no AVX512": {"NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL AVX512_SPR"},
    "no AVX2": {"NPY_DISABLE_CPU_FEATURES": OLDER_NUMPY},
    "no FMA": {"GLIBC_TUNABLES": OLDER_LIBM},
    "generic": {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""},
    "one thread": {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"},
    "all": {
        "OPENBLAS_CORETYPE": "Nehalem",
        "NPY_DISABLE_CPU_FEATURES": OLDER_NUMPY,
        "GLIBC_TUNABLES": OLDER_LIBM,
        "NUMBA_CPU_NAME": "generic",
        "NUMBA_CPU_FEATURES": "",
    },
}
IN_GROUPS = [
    "hybrid", "hybrid:orthogonal=true", "ipso:variant=A", "ipso:orthogonal=true",
    "muralidhar-sarathy:alpha=[0.3, 0.4, 0.5]", "fuzzy-regression:n_clusters=2",
]  # fmt: skip
POWERS = ["Z == X * Y", "P == X ** 0.5", "X > 0", "X + Y == S"]


def releases() -> Iterator[tuple[str, Callable[[], dict[str, Any]]]]:
    """Give every case: its name, and what makes its columns."""
    import same_results

    tables = {name: table for name, table in same_results.files().items() if name in ("census", "survey")}
    more = {
        "holes": same_results.with_holes(tables["census"]),
        "seed": same_results.with_seed_columns(tables["census"]),
    }
    more |= {"powers": with_powers(), "normal": normal()}
    own = [
        ("rules powers", "powers", {"k": 5, "edits": POWERS}),
        ("rules powers repaired", "powers", {"k": 5, "edits": ["X + Y <= 3 * Z", "X + Y == S"], "repair": True}),
        ("powers geometric-mean", "powers", {"k": 5, "replace": "geometric-mean"}),
        ("census hac:distance=mahalanobis", "census", {"k": 5, "method": "hac:distance=mahalanobis"}),
        ("census hac:priority=0.7", "census", {"k": 5, "method": "hac:priority=0.7"}),
    ]
    few = {"k": 30, "method": "mdav", "confidential": ["A", "B", "C"]}
    own += [(f"normal in groups {replace}", "normal", {**few, "replace": replace}) for replace in IN_GROUPS]
    for name, table, arguments in [*same_results.cases(tables), *own]:
        if name not in ("too few", "no method"):
            yield name, lambda t=table, a=arguments: protected({**tables, **more}[t], a)
    for name in ("CMeans", "NoiseClustering", "FuzzyPossibilisticCMeans", "PossibilisticCMeans"):
        yield name, lambda n=name: clustered(n, tables["census"])


def with_powers() -> Any:
    """Return a small table with sums, products and a root in every record, itself the same on every processor."""
    import numpy as np
    import pandas as pd

    rng = np.random.default_rng(3)
    x, y = 0.1 + 5 * rng.random((2, 300)) ** 2
    return pd.DataFrame({"X": x, "Y": y, "Z": x * y, "P": np.sqrt(x), "S": x + y})


def normal() -> Any:
    """Return a small table of correlated normal numbers."""
    import numpy as np
    import pandas as pd

    rng = np.random.default_rng(4)
    return pd.DataFrame(rng.normal(size=(400, 6)).cumsum(axis=1), columns=list("ABCDEF")).round(6)


def protected(table: Any, arguments: dict[str, Any]) -> dict[str, Any]:
    """Return the columns of a release; those of an error are its class."""
    import shoal
    from shoal.errors import ShoalError

    try:
        release = shoal.protect(table, seed=11, **arguments)
    except ShoalError as error:
        return {"error": [type(error).__name__]}
    return {str(name): list(release.data[name]) for name in release.data.columns}


def clustered(name: str, table: Any) -> dict[str, Any]:
    """Return the memberships that an estimator gives."""
    import numpy as np

    from shoal.partition import fuzzy

    X = table.to_numpy(dtype=np.float64)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    return {"": getattr(fuzzy, name)(20).fit(X).memberships_.ravel().tolist()}


def differing(one: dict[str, Any], other: dict[str, Any]) -> int:
    """Return the number of values that are not the same to the last bit; missing values are the same."""
    if one.keys() != other.keys():
        return sum(map(len, one.values()))
    return sum(repr(left) != repr(right) for name in one for left, right in zip(one[name], other[name], strict=True))


def run_here(target: Path, only: str) -> None:
    """Make the releases in this process, and keep their columns in a file."""
    found = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, make in releases():
            if only in name:
                found[name] = make()
    target.write_bytes(pickle.dumps(found))


def run_on(settings: dict[str, str], only: str, folder: Path) -> dict[str, dict[str, Any]]:
    """Make the releases in a process that takes this machine for another one."""
    target = folder / "columns.pickle"
    command = [sys.executable, __file__, "--only", only, "--here", str(target)]
    subprocess.run(command, env={**os.environ, **settings}, check=True, stdout=subprocess.DEVNULL)
    return pickle.loads(target.read_bytes())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="only cases with this in their name")
    parser.add_argument("--processor", choices=PROCESSORS, action="append", help="only this one; may be repeated")
    parser.add_argument("--here", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.here:
        run_here(options.here, options.only)
        return
    chosen = options.processor or list(PROCESSORS)
    with tempfile.TemporaryDirectory() as folder:
        own = run_on({}, options.only, Path(folder))
        others = [run_on(PROCESSORS[name], options.only, Path(folder)) for name in chosen]
    print(f"{'released values that differ':40} {'values':>8}" + "".join(f"{name:>11}" for name in chosen))
    total = 0
    for name, columns in own.items():
        counts = [differing(columns, other[name]) for other in others]
        total += sum(map(bool, counts))
        values = sum(map(len, columns.values()))
        print(f"{name:40} {values:8,}" + "".join(f"{count or '=':>11}" for count in counts))
    print(f"{total} of {len(own) * len(others)} releases differ")
    sys.exit(bool(total))


if __name__ == "__main__":
    main()
