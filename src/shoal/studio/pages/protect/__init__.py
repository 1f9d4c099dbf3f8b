"""The step Protect."""

from shoal.studio.pages.protect.page import protect_server, protect_ui

__all__ = ["protect_server", "protect_ui"]
