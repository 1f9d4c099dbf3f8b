"""What is known about a release, as data."""
