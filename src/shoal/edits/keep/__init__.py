"""How rules are kept: what each asks of a group, and representatives that satisfy it."""
