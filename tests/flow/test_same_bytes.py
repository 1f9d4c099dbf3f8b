"""The same plan gives the same bytes on another processor: libraries are made to take this one for an older one."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

import pytest

OLDER = {
    "BLAS for Prescott": {"OPENBLAS_CORETYPE": "Prescott"},
    "nothing newer than SSE": {
        "OPENBLAS_CORETYPE": "Nehalem",
        "NPY_DISABLE_CPU_FEATURES": "AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL AVX2 FMA3"
        " X86_V3 X86_V4",
        "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX512F,-AVX2,-FMA,-FMA4,-AVX",
        "OPENBLAS_NUM_THREADS": "1",
    },
}

# Every method and replacement whose values come from more than sums; a digest of each release, a line each.
RELEASES = """
    import hashlib, warnings
    import numpy as np
    import pandas as pd
    import shoal

    warnings.simplefilter("ignore")
    rng = np.random.default_rng(7)
    normal = pd.DataFrame(rng.normal(size=(240, 6)).cumsum(axis=1), columns=list("ABCDEF")).round(6)
    x, y = 1 + rng.random((2, 120)).round(6)
    rules = pd.DataFrame({"X": x, "Y": y, "Z": x * y, "P": x * np.sqrt(x), "S": x + y})
    codes = np.column_stack([rng.integers(0, 3, (240, 2)), normal[["A", "C"]].sum(axis=1) > rng.normal(size=240)])
    mixed = normal.join(pd.DataFrame(codes.astype(float), columns=list("GHI")))
    plain = {"k": 5}
    synthetic = {"k": 30, "confidential": ["A", "B", "C"], "method": "mdav"}
    cases = {
        "fuzzy": (normal, plain | {"method": "fuzzy:m=1.4"}),
        "crisp c-means": (normal, plain | {"method": "fuzzy:m=1,init=random"}),
        "entropy": (normal, plain | {"method": "entropy"}),
        "fuzzy with rules": (rules, plain | {"method": "fuzzy", "edits": ["S == X + Y", "X + Y <= 2 * Z"]}),
        "at-least-k": (normal, plain | {"method": "at-least-k"}),
        "at-least-k, drawn": (normal, plain | {"method": "at-least-k", "replace": "membership-draw:m2=1.5"}),
        "refine": (normal, plain | {"method": "refine:steps=5"}),
        "hac": (normal, plain | {"method": "hac:distance=mahalanobis"}),
        "geometric mean": (rules, plain | {"replace": "geometric-mean"}),
        "hybrid": (normal, synthetic | {"replace": "hybrid"}),
        "ipso": (normal, synthetic | {"replace": "ipso:orthogonal=true"}),
        "muralidhar-sarathy": (normal, synthetic | {"replace": "muralidhar-sarathy:alpha=[0.2, 0.3, 0.3]"}),
        "hybrid, mixed": (
            mixed,
            synthetic
            | {"replace": "hybrid:small_groups=merge", "kinds": dict.fromkeys("GHI", "nominal")}
            | {"confidential": ["A", "B", "H", "I"]},
        ),
        "fuzzy-regression": (normal, synthetic | {"replace": "fuzzy-regression:n_clusters=2"}),
        "sums and products": (rules, plain | {"edits": ["Z == X * Y", "P == X ** 1.5", "X + Y == S"]}),
        "repaired": (rules, plain | {"edits": ["X + Y <= 1.5 * Z", "P <= X"], "repair": True}),
    }
    for name, (table, options) in cases.items():
        data = shoal.protect(table, seed=3, **options).data
        assert not data.equals(table)
        print(name, hashlib.sha256(data.to_numpy(dtype=float).tobytes()).hexdigest())
"""


def releases(**settings: str) -> list[str]:
    """Return a line for every release, made in a process of its own."""
    ran = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(RELEASES)],
        env={**os.environ, **settings}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.splitlines()


@pytest.fixture(scope="module")
def here() -> list[str]:
    return releases()


@pytest.mark.slow
@pytest.mark.parametrize("processor", OLDER)
def test_releases_are_the_same_on_an_older_processor(here, processor):
    assert len(here) == 16
    assert releases(**OLDER[processor]) == here
