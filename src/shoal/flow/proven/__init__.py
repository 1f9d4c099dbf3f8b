"""How near the groups of a release are to the best possible ones: their squared error, and a proven lower bound."""
