"""Parameters: what they may be, and methods named with them ("mdav:variant=two-k")."""
