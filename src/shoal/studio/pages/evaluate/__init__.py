"""The step Evaluate."""

from shoal.studio.pages.evaluate.page import evaluate_server, evaluate_ui

__all__ = ["evaluate_server", "evaluate_ui"]
