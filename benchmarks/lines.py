"""Count lines of code: those that are left when docstrings, comments and blank lines are taken away.

    python benchmarks/lines.py                  # src, by folder
    python benchmarks/lines.py src/shoal/flow   # other folders or files
    python benchmarks/lines.py --since main~20  # beside what was there in an earlier version

A line counts if a token stands on it that is no comment and no part of a docstring; one that is broken into three
counts three times. `flow` counts everything in it, `flow/job` among it.
"""

from __future__ import annotations

import argparse
import ast
import io
import subprocess
import tokenize
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
_NO_CODE = {
    *(tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT),
    *(tokenize.ENCODING, tokenize.ENDMARKER),
}


def lines_of_code(source: str) -> int:
    """Return how many lines of a module hold code."""
    numbers: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in _NO_CODE:
            numbers.update(range(token.start[0], token.end[0] + 1))
    return len(numbers.difference(*docstring_lines(ast.parse(source))))


def docstring_lines(module: ast.Module) -> Iterator[range]:
    """Return where docstrings are."""
    for node in ast.walk(module):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0] if node.body else None
            is_text = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
            if is_text and isinstance(first.value.value, str) and first.end_lineno is not None:
                yield range(first.lineno, first.end_lineno + 1)


def sources(places: Iterable[str], version: str | None) -> Iterator[tuple[Path, str]]:
    """Return the modules in some folders with their texts: as they are, or as they were in a version."""
    for place in places:
        if version is None:
            path = ROOT / place
            for file in [path] if path.is_file() else sorted(path.rglob("*.py")):
                yield file.relative_to(ROOT), file.read_text(encoding="utf-8")
        else:
            listed = _git("ls-tree", "-r", "--name-only", version, "--", place).splitlines()
            for name in listed:
                if name.endswith(".py"):
                    yield Path(name), _git("show", f"{version}:{name}")


def _git(*words: str) -> str:
    return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True).stdout


def counted(places: Iterable[str], version: str | None = None) -> tuple[Counter[str], Counter[str]]:
    """Return lines and files by folder, every folder with those in it; "" is all of them."""
    lines, files = Counter[str](), Counter[str]()
    for path, source in sources(places, version):
        count = lines_of_code(source)
        for folder in ("", *(parent.as_posix() for parent in path.parents if parent != Path())):
            lines[folder] += count
            files[folder] += 1
    return lines, files


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("places", nargs="*", default=["src"], help="folders or files [src]")
    parser.add_argument("--since", metavar="VERSION", help="what git calls an earlier version")
    parser.add_argument("--levels", type=int, default=3, help="how deep folders are listed [3]")
    asked = parser.parse_args()
    lines, files = counted(asked.places)
    earlier = counted(asked.places, asked.since) if asked.since else None
    folders = sorted({*lines, *(earlier[0] if earlier else ())})
    width = max(map(len, folders))
    head = f"{'':{width}} {'lines':>8} {'files':>6}"
    print(head if earlier is None else f"{head} {'lines':>12} {'files':>6} since {asked.since}")
    for folder in folders:
        if folder.count("/") < asked.levels:
            row = f"{folder or 'all':{width}} {lines[folder]:8,} {files[folder]:6,}"
            if earlier is not None:
                row += f" {lines[folder] - earlier[0][folder]:+12,} {files[folder] - earlier[1][folder]:+6,}"
            print(row)


if __name__ == "__main__":
    main()
