"""The step Variables."""

from shoal.studio.pages.variables.page import variables_server, variables_ui

__all__ = ["variables_server", "variables_ui"]
