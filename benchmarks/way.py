"""Trace the way of one file through the house: functions passed, folders entered, depth.

    python benchmarks/way.py [FILE]     # shoal protect FILE -k 5, by default the built-in survey

Counts what `shoal protect` calls of shoal itself: how many functions, how often the way goes from one folder of
`src/shoal` to another, and how deep the calls are nested. Kernels are compiled and do not show.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from types import FrameType

import shoal

HOUSE = Path(shoal.__file__).parent
DATA = Path(__file__).parents[2] / "shared" / "data" / "census.csv"


class Way:
    """What a profiler saw of shoal's own functions."""

    def __init__(self) -> None:
        self.functions: set[tuple[str, str, int]] = set()
        self.switches = 0
        self.deepest = 0
        self.places: list[str] = []

    def __call__(self, frame: FrameType, event: str, argument: object) -> None:
        """Note a call or a return of one of shoal's functions."""
        code = frame.f_code
        path = code.co_filename
        if not path.startswith(str(HOUSE)) or code.co_name in ("<module>", "<listcomp>", "<genexpr>", "<dictcomp>"):
            return
        if event == "return":
            if self.places:
                self.places.pop()
        elif event == "call":
            folder = Path(path).relative_to(HOUSE).parts[0]
            self.functions.add((path, code.co_name, code.co_firstlineno))
            self.switches += bool(self.places and self.places[-1] != folder)
            self.places.append(folder)
            self.deepest = max(self.deepest, len(self.places))


def main() -> None:
    """Protect a file and print its way."""
    from shoal.__main__ import main as command

    source = Path(sys.argv[1]) if len(sys.argv) > 1 else DATA
    way = Way()
    with tempfile.TemporaryDirectory() as folder:
        sys.argv = ["shoal", "protect", str(source.resolve()), "-k", "5", "-o", f"{folder}/released.csv"]
        sys.setprofile(way)
        try:
            command()
        except SystemExit as ended:
            assert not ended.code, "protect failed"
        finally:
            sys.setprofile(None)
    folders = {Path(path).relative_to(HOUSE).parts[0] for path, _, _ in way.functions}
    files = {path for path, _, _ in way.functions}
    print(
        f"{len(way.functions):,} functions in {len(files):,} files of {len(folders)} folders; "
        f"{way.switches:,} times from one folder into another; {way.deepest} calls deep"
    )


if __name__ == "__main__":
    main()
