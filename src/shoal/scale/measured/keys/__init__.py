"""Combinations of key variables, counted over a whole file."""
