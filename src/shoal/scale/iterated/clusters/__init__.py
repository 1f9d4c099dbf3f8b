"""Fuzzy clusters of a whole file: centres, and a centre drawn for every record."""
