"""How long the studio takes from upload to evaluated release, how soon it answers clicks meanwhile, and its memory.

Run with: python benchmarks/studio.py [--records 100000] [--columns 10] [--clicks 24] [--attempts 20]
It needs the studio, playwright, chromium, and /proc for the memory of processes.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

TIMEOUT = 600_000
STEPS = ("Variables", "Keys", "Rules", "Evaluate", "Data", "Protect")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--records", type=int, default=100_000)
    arguments.add_argument("--columns", type=int, default=10)
    arguments.add_argument("--clicks", type=int, default=24)
    arguments.add_argument("--attempts", type=int, default=20)
    given = arguments.parse_args()
    print(f"{given.records:,} x {given.columns}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    with tempfile.TemporaryDirectory() as folder:
        file = write_numbers(Path(folder) / "numbers.csv", given.records, given.columns)
        with studio(Path(folder)) as (process, address), chromium() as page:
            page.goto(address)
            page.wait_for_selector("#headline-places", state="attached")
            time_release(page, file, given.clicks)
            time_attempts(page, process.pid, given.attempts)


def write_numbers(path: Path, records: int, columns: int) -> Path:
    rng = np.random.default_rng(0)
    mixed = rng.normal(size=(columns, columns))
    table = np.exp(rng.normal(size=(records, columns)) @ mixed / 3)
    pd.DataFrame(table, columns=[f"x{place}" for place in range(columns)]).to_csv(path, index=False)
    return path


@contextmanager
def studio(folder: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    command = [sys.executable, "-m", "shoal", "studio", "--no-browser"]
    environment = {**os.environ, "TMPDIR": str(folder)}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
    assert process.stdout is not None
    try:
        yield process, re.findall(r"http://\S+", process.stdout.readline())[0]
    finally:
        process.terminate()
        process.wait()


@contextmanager
def chromium() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.set_default_timeout(TIMEOUT)
        yield page
        browser.close()


def time_release(page: Any, file: Path, clicks: int) -> None:
    """Time an upload, a release by MDAV and its measures, and clicks while the release is made."""
    begun = time.perf_counter()
    page.set_input_files("#data-file", file)
    page.locator("#headline-facts", has_text=file.name).wait_for()
    print(f"upload to opened file            {time.perf_counter() - begun:8.2f} s")
    open_step(page, "Protect")
    decide_k(page, 10)
    page.click("#protect-start_now")
    page.wait_for_selector("#protect-cancel_now")
    waited = []
    made = page.locator("#protect-attempts-show_1")
    while len(waited) < clicks and not made.count():
        waited.append(click(page, STEPS[len(waited) % len(STEPS)]))
    made.wait_for(state="attached")
    print(f"upload to evaluated release      {time.perf_counter() - begun:8.2f} s")
    while len(waited) < clicks:  # the rest while another release is made
        open_step(page, "Protect")
        if not page.locator("#protect-cancel_now").count():
            page.click("#protect-start_now")
            page.wait_for_selector("#protect-cancel_now")
        waited.append(click(page, STEPS[len(waited) % len(STEPS)]))
    open_step(page, "Protect")
    page.locator("#protect-cancel_now").wait_for(state="detached")
    print(f"{len(waited)} clicks meanwhile, median       {1000 * statistics.median(waited):8.0f} ms")
    print(f"{len(waited)} clicks meanwhile, longest      {1000 * max(waited):8.0f} ms")


def open_step(page: Any, step: str) -> None:
    page.click(f'main .nav-link[data-value="{step}"]')
    page.wait_for_selector(f'.tab-pane.active[data-value="{step}"] h1')


def click(page: Any, step: str) -> float:
    """Open a step, and decide something that the server answers in the headline: k by turns; return the seconds."""
    open_step(page, step)
    place = page.input_value("#headline-places")
    button = "#headline-undo_button" if int(place) > 0 else "#headline-redo_button"
    return float(
        page.evaluate(
            """([button, place]) => new Promise((done) => {
              const begun = performance.now();
              const answered = () => document.querySelector("#headline-places").value !== place;
              const watch = new MutationObserver(() => {
                if (answered()) { watch.disconnect(); done((performance.now() - begun) / 1000); }
              });
              watch.observe(document.body, { childList: true, subtree: true });
              document.querySelector(button).click();
            })""",
            [button, place],
        )
    )


def decide_k(page: Any, k: int) -> None:
    place = int(page.input_value("#headline-places"))
    page.fill("#protect-k_field", str(k))
    page.press("#protect-k_field", "Enter")
    page.locator(f'#headline-places option[value="{place + 1}"]').wait_for(state="attached")


def time_attempts(page: Any, pid: int, attempts: int) -> None:
    """Make releases one after the other, and print the memory of the server and of its workers."""
    print("attempt   seconds   server MB   workers MB")
    shown = page.locator('[id^="protect-attempts-show_"]')
    for number in range(1, attempts + 1):
        before = shown.count()
        decide_k(page, 10 + number)
        begun = time.perf_counter()
        page.click("#protect-start_now")
        shown.nth(before).wait_for(state="attached")
        workers = " ".join(f"{memory(one):.0f}" for one in children(pid))
        if number in (1, 2, 5) or number % 5 == 0 or number == attempts:
            print(f"{number:7d} {time.perf_counter() - begun:9.2f} {memory(pid):11.0f}   {workers}")


def memory(pid: int) -> float:
    found = re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())
    return int(found[1]) / 1000 if found else 0.0


def children(pid: int) -> list[int]:
    listed = {int(one) for file in Path(f"/proc/{pid}/task").glob("*/children") for one in file.read_text().split()}
    return sorted(one for one in listed if "spawn_main" in Path(f"/proc/{one}/cmdline").read_text())


if __name__ == "__main__":
    main()
