"""Report: everything that is said of a release, drawn from its measures."""
