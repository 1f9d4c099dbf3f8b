"""At-least-k fuzzy c-means beside MDAV, Refine and fuzzy microaggregation."""
