"""How it is shown as a page."""
