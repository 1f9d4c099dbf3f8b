"""How long a newcomer waits: the first `shoal protect` after installation, and the later ones.

    python benchmarks/startup.py [FILE]

The first run starts with an empty cache of compiled kernels. Later runs are compared with the bare import of numba,
scikit-learn's base and pandas in the same minute, because machines differ and are shared. Without FILE (Census, say)
the built-in survey of 1,000 households is used.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

BARE = "import numba, sklearn.base, pandas"
ROUNDS = 7


def seconds(command: list[str], environment: dict[str, str]) -> float:
    begin = time.perf_counter()
    subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL)
    return time.perf_counter() - begin


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        environment = dict(os.environ, NUMBA_CACHE_DIR=str(Path(folder) / "cache"))
        if len(sys.argv) > 1:
            file = Path(sys.argv[1])
        else:
            import shoal

            file = Path(folder) / "survey.csv"
            shoal.write_table(shoal.datasets.households(1000).drop(columns="household_id"), file)
        protect = [sys.executable, "-m", "shoal", "protect", str(file), "-k", "3", "-o", str(Path(folder) / "out.csv")]
        bare = [sys.executable, "-c", BARE]
        seconds(bare, environment)
        print(f"first shoal protect, empty kernel cache   {seconds(protect, environment):6.2f} s")
        pairs = [(seconds(bare, environment), seconds(protect, environment)) for _ in range(ROUNDS)]
        print(f"bare imports, median of {ROUNDS}                 {statistics.median(a for a, _ in pairs):6.2f} s")
        print(f"later shoal protect, median of {ROUNDS}          {statistics.median(b for _, b in pairs):6.2f} s")
        print(f"ratio, median of {ROUNDS}                        {statistics.median(b / a for a, b in pairs):6.2f}")


if __name__ == "__main__":
    main()
