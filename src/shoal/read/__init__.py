"""The first step: a file or a frame becomes a table, its labels kept, and a table becomes a file again."""

from shoal.read.atomic import replacing
from shoal.read.labels import Labels
from shoal.read.tables import Table, as_table, read_table, refuse_unwritable, write_table

__all__ = ["Labels", "Table", "as_table", "read_table", "refuse_unwritable", "replacing", "write_table"]
