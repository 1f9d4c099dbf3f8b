"""Write: a table becomes a file, whole or not at all, and never in the place of the file that was read."""

from shoal.write.atomic import replacing
from shoal.write.tables import (
    refuse_targets,
    refuse_to_overwrite,
    refuse_unwritable,
    write_table,
    writing_table,
)

__all__ = [
    "refuse_targets",
    "refuse_to_overwrite",
    "refuse_unwritable",
    "replacing",
    "write_table",
    "writing_table",
]
