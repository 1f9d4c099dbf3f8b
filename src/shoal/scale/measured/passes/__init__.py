"""Passes over two files that belong together: what is summed up and counted, block by block."""
