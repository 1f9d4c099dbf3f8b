"""A chain of steps: what every step starts from, what carries over to it, and what holds of all of them together."""
