"""Attacks by an intruder who knows how a file was masked."""
