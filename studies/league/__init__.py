"""A league table: every method and every replacement, on four files, by the same measures."""
