"""What an analyst loses."""
