"""What may be published about a release."""
