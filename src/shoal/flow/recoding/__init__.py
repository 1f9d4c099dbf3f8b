"""Recodes in the flow: what was asked for, and what came of it."""
