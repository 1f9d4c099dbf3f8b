"""The commands on a release that is there already: what it is worth, and its report."""
