"""Local suppression on codes: which cells are made missing so that k records carry every combination of keys."""

from shoal.recode.suppression.cells import SuppressedCells, suppressed_cells

__all__ = ["SuppressedCells", "suppressed_cells"]
