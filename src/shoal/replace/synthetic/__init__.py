"""Synthetic and hybrid values for the confidential variables."""
