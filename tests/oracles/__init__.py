"""Slow and obviously right versions that the tests compare with, and the tables they are compared on."""
