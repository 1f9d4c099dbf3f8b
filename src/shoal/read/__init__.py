"""The first step: a file or a frame becomes a table, its labels kept, and a table becomes a file again."""

from shoal.read.atomic import refuse_to_overwrite, replacing
from shoal.read.labels import Labels
from shoal.read.tables import Table, as_table, read_table, write_table

__all__ = ["Labels", "Table", "as_table", "read_table", "refuse_to_overwrite", "replacing", "write_table"]
