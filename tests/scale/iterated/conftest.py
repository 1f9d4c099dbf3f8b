"""What tests of methods that iterate over a file share: pages without a cluster."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from shoal.scale.input.chunks import Gathered
from shoal.scale.iterated.passes import Page, Passes, in_step, saved

PagesFor = Callable[[NDArray[np.float64], int], list[Page]]
Run = Callable[[Passes[Any]], Any]


@pytest.fixture
def pages_for(tmp_path: Path) -> PagesFor:
    """Cut a matrix into pages of so many rows."""

    def cut(X: NDArray[np.float64], size: int) -> list[Page]:
        folder = tmp_path / f"pages-{len(list(tmp_path.iterdir()))}"
        folder.mkdir()
        pages = []
        for number, start in enumerate(range(0, len(X), size)):
            rows = X[start : start + size]
            pages.append(Page(number, 0, Gathered(folder, (), ()), len(rows), folder))
            saved(pages[-1].path("numbers"), rows)
        return pages

    return cut


@pytest.fixture
def run() -> Run:
    """Carry out passes in this process."""

    def carried_out(passes: Passes[Any]) -> Any:
        def tasks(function: Callable[..., Any], items: Sequence[Any]) -> list[Any]:
            return [function(item) for item in items]

        (result,) = in_step(tasks, [passes])
        return result

    return carried_out
