"""Run every study, one after the other: `make studies`."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path


def main() -> int:
    began, failed = time.perf_counter(), []
    for study in sorted(Path(__file__).parent.glob("*/__main__.py")):
        if subprocess.run([sys.executable, "-m", f"studies.{study.parent.name}", *sys.argv[1:]]).returncode:
            failed.append(study.parent.name)
    print(f"\nall studies: {time.perf_counter() - began:.0f} s" + "".join(f"; {name} FAILED" for name in failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
