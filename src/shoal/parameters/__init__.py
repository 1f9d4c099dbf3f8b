"""Parameters: their limits, and methods chosen by name with parameters ("mdav:variant=two-k")."""
