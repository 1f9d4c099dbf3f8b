"""What may be published of it."""
