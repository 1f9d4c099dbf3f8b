"""Where the results of a study go: tables as CSV beside pictures as SVG, with the command and version that made them.

A study is a folder with an `__main__.py` that has a `Study("name", __doc__)`; `python -m studies.name` runs it. Results
are the same every time, so that a second run changes no file.
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path

import matplotlib as mpl
import pandas as pd
from matplotlib.figure import Figure

import shoal

_ROOT = Path(__file__).resolve().parents[1]
REFERENCE_FILES = ("census.csv", "tarragona.csv", "eia.csv", "testdata.csv")
RESULTS = _ROOT / "docs" / "studies" / "results"


class Study:
    """The command of a study, the data it reads and the folder it writes.

    Parameters
    ----------
    name
        The folder of the study, here and in `docs/studies/results`.
    about
        The docstring of the study, of which the first line is the description of the command.

    Attributes
    ----------
    arguments
        Options of the command can be added to it before `begin`.
    """

    def __init__(self, name: str, about: str | None) -> None:
        self.name = name
        self.arguments = argparse.ArgumentParser(
            prog=f"python -m studies.{name}", description=(about or "").split("\n")[0]
        )
        self.arguments.add_argument(
            "--data",
            type=Path,
            default=Path(os.environ.get("SHOAL_REFERENCE_DATA", _ROOT.parent / "shared" / "data")),
            help="the folder with census.csv, tarragona.csv, eia.csv and testdata.csv",
        )
        self.arguments.add_argument("--output", type=Path, default=RESULTS / name, help="where results are written")
        self.arguments.add_argument("--jobs", type=int, default=2, help="number of processes")

    def begin(self) -> argparse.Namespace:
        """Read the options of the command, and make the folder of the results."""
        self.options = self.arguments.parse_args()
        if getattr(self.options, "long", False):
            self.arguments.prog += " --long"  # results say so
        self._check_options()
        self.options.output.mkdir(parents=True, exist_ok=True)
        self._began = time.perf_counter()
        return self.options

    def data(self, file: str) -> pd.DataFrame:
        """Read a reference file."""
        return shoal.read_table(self.options.data / file)

    def _check_options(self) -> None:
        """End with one line where an option cannot be used, before anything is written."""
        missing = [file for file in REFERENCE_FILES if not (self.options.data / file).is_file()]
        if missing:
            self.arguments.error(f"--data needs a folder with {', '.join(missing)}; got {self.options.data}.")
        if self.options.output.exists() and not self.options.output.is_dir():
            self.arguments.error(f"--output needs a folder; {self.options.output} is a file.")
        if self.options.jobs < 1:
            self.arguments.error(f"--jobs needs a whole number from 1 on; got {self.options.jobs}.")

    def table(self, name: str, frame: pd.DataFrame, title: str) -> None:
        """Print a table, and write it as NAME.csv with the command that made it in the first line."""
        print(f"\n{title}\n\n{frame.to_string(index=False)}", flush=True)
        text = frame.to_csv(index=False, float_format="%.6g", lineterminator="\n")
        (self.options.output / f"{name}.csv").write_text(f"# {self.made_by}\n{text}", encoding="utf-8")

    def picture(self, name: str, figure: Figure) -> None:
        """Write a picture as NAME.svg."""
        about = {"Date": None, "Description": self.made_by}
        with mpl.rc_context({"svg.hashsalt": self.name}):  # the same ids in the file every time
            figure.savefig(self.options.output / f"{name}.svg", metadata=about, bbox_inches="tight")

    def mark(self, picture: Path) -> None:
        """Write into an SVG file, drawn by shoal itself, what made it."""
        text = picture.read_text(encoding="utf-8")
        # XML does not allow the two hyphens of an option in a comment.
        note = f"<?made-by {self.made_by}?>" if "--" in self.made_by else f"<!-- {self.made_by} -->"
        picture.write_text(text.replace("\n", f"\n{note}\n", 1), encoding="utf-8")

    def end(self) -> None:
        """Say how long the study took."""
        print(f"\n{self.name}: {time.perf_counter() - self._began:.0f} s", flush=True)

    @property
    def made_by(self) -> str:
        """The command and version, as every result says them."""
        return f"{self.arguments.prog}, shoal {shoal.__version__}"
