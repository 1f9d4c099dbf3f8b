"""Replacements without groups: values that are exchanged or perturbed record by record."""
