"""Describe: what each variable is (its kind) and what it is for (its role)."""

from shoal.describe.roles import Selection, select
from shoal.describe.variables import KINDS, ROLES, Kind, Role, Variable, describe_table

__all__ = ["KINDS", "ROLES", "Kind", "Role", "Selection", "Variable", "describe_table", "select"]
