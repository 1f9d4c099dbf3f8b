"""CPU time of start-up: the first `shoal protect` after installation, later ones, help texts and the bare import.

    python benchmarks/startup.py [FILE]

Prints seconds of CPU (user and system) and how many times the import of numpy that is, measured by turns: machines
differ and are shared, and waiting for others is not counted. The first run starts with an empty cache of compiled
kernels; the later ones have compiled modules, as an installation has. Without FILE (Census, say) the built-in survey of
1,000 households is protected.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROUNDS = 9


def cpu_seconds(command: list[str], environment: dict[str, str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *command], check=True, env=environment, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        environment = dict(os.environ, NUMBA_CACHE_DIR=str(Path(folder) / "cache"))
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        if len(sys.argv) > 1:
            file = Path(sys.argv[1])
        else:
            import shoal

            file = Path(folder) / "survey.csv"
            shoal.write_table(shoal.datasets.households(1000).drop(columns="household_id"), file)
        protect = ["-m", "shoal", "protect", str(file), "-k", "5", "-o", str(Path(folder) / "out.csv")]
        commands = {
            "import numpy": ["-c", "import numpy"],
            "import shoal": ["-c", "import shoal"],
            "shoal --help": ["-m", "shoal", "--help"],
            "shoal protect --help": ["-m", "shoal", "protect", "--help"],
            "shoal protect": protect,
        }
        first = cpu_seconds(protect, environment)
        rounds = [{name: cpu_seconds(words, environment) for name, words in commands.items()} for _ in range(ROUNDS)]
    print(f"{'':24}{'CPU':>9}{'least':>9}{'x numpy':>9}")
    print(f"{'first shoal protect':24}{first:7.2f} s")
    for name in commands:
        seconds = [each[name] for each in rounds]
        ratio = statistics.median(each[name] / each["import numpy"] for each in rounds)
        print(f"{name:24}{statistics.median(seconds):7.2f} s{min(seconds):7.2f} s{ratio:9.1f}")


if __name__ == "__main__":
    main()
