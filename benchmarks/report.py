"""How long a report takes beyond the measures, how large it is, and how soon it opens.

Run with: python benchmarks/report.py [--records 100000] [--columns 10]
The last figure needs playwright and chromium; it is left out without them.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
import time
from pathlib import Path

import numpy as np

import shoal
from shoal.report.facts.collect import summarize
from shoal.report.page.html import write_report


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--records", type=int, default=100_000)
    arguments.add_argument("--columns", type=int, default=10)
    given = arguments.parse_args()
    rng = np.random.default_rng(0)
    mixed = rng.normal(size=(given.columns, given.columns))
    table = np.exp(rng.normal(size=(given.records, given.columns)) @ mixed / 3)
    release = shoal.protect(table, 10, seed=0)
    begun = time.perf_counter()
    evaluation = release.evaluate()
    print(f"measures                 {time.perf_counter() - begun:8.2f} s")
    with tempfile.TemporaryDirectory() as folder:
        for audience in ("internal", "public"):
            target = Path(folder) / f"{audience}.html"
            begun = time.perf_counter()
            write_report(summarize(release, audience, evaluation), target)  # type: ignore[arg-type]
            print(
                f"{audience + ' report':<24} {time.perf_counter() - begun:8.2f} s {target.stat().st_size / 1e6:8.2f} MB"
            )
            opens(target)


def opens(page: Path) -> None:
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        return
    found = shutil.which("chromium")
    if found is None:
        return
    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=found, args=["--no-sandbox"])
        opened = browser.new_page()
        begun = time.perf_counter()
        opened.goto(page.as_uri())
        opened.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        print(f"  opens in               {time.perf_counter() - begun:8.2f} s")
        browser.close()


if __name__ == "__main__":
    main()
