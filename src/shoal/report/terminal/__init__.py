"""How it is shown on the terminal."""
