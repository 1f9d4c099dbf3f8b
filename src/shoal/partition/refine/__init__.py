"""Refine: a search that makes the groups of any partition tighter."""
