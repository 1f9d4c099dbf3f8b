"""The search for settings: what is tried, in which order, what came of it, and what of that is best."""
