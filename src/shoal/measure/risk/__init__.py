"""Disclosure risk: what an intruder can learn from a masked file."""
