"""Local suppression on codes: which cells are made missing so that every combination of keys is carried by k records."""

from shoal.recode.suppression.cells import SuppressedCells, suppressed_cells

__all__ = ["SuppressedCells", "suppressed_cells"]
