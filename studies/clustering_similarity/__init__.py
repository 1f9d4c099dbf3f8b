"""Cano, Ladra and Torra (2010): clusters in synthetic data, and information loss."""
