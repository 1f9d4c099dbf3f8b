"""The house stays easy to walk through: one name for one thing, imports in one direction."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import pytest

import shoal

PACKAGE = Path(shoal.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))


def named(path: Path) -> str:
    return str(path.relative_to(PACKAGE.parent))


def test_no_two_classes_have_the_same_name():
    trees = [ast.parse(module.read_text(encoding="utf-8")) for module in MODULES]
    classes = Counter(node.name for tree in trees for node in tree.body if isinstance(node, ast.ClassDef))
    assert [name for name, count in classes.items() if count > 1] == []


def test_no_module_is_called_by_a_name_that_says_nothing():
    assert not {module.stem for module in MODULES} & {"utils", "helpers", "common", "misc", "base_utils"}


def deferred_imports(module: Path) -> list[str]:
    """Return the modules of shoal that are imported inside functions."""
    functions = [
        node
        for node in ast.walk(ast.parse(module.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    found = {
        one.module
        for function in functions
        for one in ast.walk(function)
        if isinstance(one, ast.ImportFrom) and one.module is not None and one.module.startswith("shoal")
    }
    return sorted(found)


BELOW = {  # the folders that each of the three may not import
    "measure": ("shoal.flow", "shoal.search", "shoal.report", "shoal.scale", "shoal.studio", "shoal.cli"),
    "flow": ("shoal.flow.protect", "shoal.search", "shoal.report", "shoal.scale", "shoal.studio", "shoal.cli"),
    "search": ("shoal.report", "shoal.scale", "shoal.studio", "shoal.cli"),
}


def test_only_the_doors_are_opened_from_above():
    """Evaluations, releases and searches ask the report to be shown, a release to be protected further, and `protect`
    passes a Dask frame on."""
    doors = {
        named(module): opened
        for folder, below in BELOW.items()
        for module in (PACKAGE / folder).rglob("*.py")
        if (opened := [one for one in deferred_imports(module) if one.startswith(below)])
    }
    assert doors == {
        "shoal/measure/evaluation.py": ["shoal.report.writing"],
        "shoal/flow/protect.py": ["shoal.scale.frames"],
        "shoal/flow/release.py": ["shoal.flow.protect", "shoal.report.writing"],
        "shoal/search/comparison.py": ["shoal.report.writing"],
        "shoal/search/tuning.py": ["shoal.report.writing"],
    }


# A tree is searched by axes that only screen, and PyTorch's devices have an arithmetic of their own.
NOT_RELEASED = {"shoal/partition/geometry/tree.py", "shoal/partition/geometry/array_arithmetic.py"}
BY_PROCESSOR = {"linalg", "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "power", "dot", "matmul", "einsum"}
BY_PROCESSOR |= {"inner", "vdot", "tensordot", "cov", "corrcoef", "float_power"}


def depending_on_the_processor(module: Path) -> list[int]:
    """Return the lines with a product by BLAS, or a function of NumPy or the C library that differs by processor."""
    return [
        node.lineno
        for node in ast.walk(ast.parse(module.read_text(encoding="utf-8")))
        if (isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult))
        or (
            isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and node.value.id in ("np", "math")
            and node.attr in BY_PROCESSOR
        )
    ]


@pytest.mark.parametrize("folder", ["edits", "partition", "replace", "flow"])
def test_what_is_released_is_computed_the_same_on_every_processor(folder):
    """By `arithmetic.py`; NumPy's sums and roots are safe."""
    found = {
        named(module): lines
        for module in sorted((PACKAGE / folder).rglob("*.py"))
        if named(module) not in NOT_RELEASED and (lines := depending_on_the_processor(module))
    }
    assert found == {}
