"""The four families of replacements: where released values come from, and what is promised and said of them."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["DRAWN", "GROUPED", "PERTURBED", "SYNTHETIC", "Family"]


@dataclass(frozen=True)
class Family:
    """Where released values come from.

    Attributes
    ----------
    no_k
        Why no k is promised; "" if it is.
    makes_groups
        Whether records are put into groups or clusters first.
    shows_groups
        Whether groups or centres can be seen in the release: records of one share a value.
    rewrites
        Whether the confidential variables alone are rewritten, and the others stay as they are.
    done, values, changed
        What is said: what is done to columns, what their values are then, and how far they are from the original.
    """

    no_k: str = ""
    makes_groups: bool = True
    shows_groups: bool = True
    rewrites: bool = False
    done: str = "protected"
    values: str = "means"
    changed: str = "averaged"


GROUPED = Family()
DRAWN = Family(no_k="centres are drawn at random for every record")
SYNTHETIC = Family(
    no_k="synthetic values are new for every record",
    shows_groups=False,
    rewrites=True,
    done="rewritten",
    values="synthetic",
)
PERTURBED = Family(
    no_k="values are exchanged or perturbed record by record",
    makes_groups=False,
    shows_groups=False,
    done="changed",
    values="perturbed",
    changed="changed",
)
