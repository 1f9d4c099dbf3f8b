"""The step Keys: which columns an intruder may know, how risky they are, and what makes them less so."""

from shoal.studio.pages.keys.page import keys_server, keys_ui

__all__ = ["keys_server", "keys_ui"]
