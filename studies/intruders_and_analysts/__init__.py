"""What an intruder who knows the method finds, what one who guesses learns, and what analysts lose."""
