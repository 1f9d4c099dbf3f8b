"""Read: a file or a frame becomes a table, its labels kept."""

from shoal.read.labels import Labels
from shoal.read.tables import Table, as_table, read_table

__all__ = ["Labels", "Table", "as_table", "read_table"]
