"""Confidential variables of a whole file, rewritten: IPSO and fuzzy regression."""
