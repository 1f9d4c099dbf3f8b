"""Fuzzy microaggregation for data with constraints."""
