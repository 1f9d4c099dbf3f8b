"""Every table and figure of the papers that shoal builds on, made again: a folder a paper, `python -m studies.NAME`."""
