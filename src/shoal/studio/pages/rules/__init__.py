"""The step Rules: what holds in every record, and will hold in the release."""

from shoal.studio.pages.rules.page import rules_server, rules_ui

__all__ = ["rules_server", "rules_ui"]
