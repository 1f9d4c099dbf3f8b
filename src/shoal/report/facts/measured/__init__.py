"""What was measured of a release: every measure, and what came of it in one sentence."""
