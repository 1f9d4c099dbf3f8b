"""At-least-k fuzzy c-means: fuzzy clusters repaired until each has k records, and split again while they are large."""
