"""What an intruder can learn."""
