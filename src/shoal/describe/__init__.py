"""Describe: the kind of each variable (continuous, ordinal, nominal) and its role (identifier, key, weight, ...)."""

from shoal.describe.description import Variable, describe_table
from shoal.describe.roles import Selection, select
from shoal.describe.variables import KINDS, ROLES, Kind, Role

__all__ = ["KINDS", "ROLES", "Kind", "Role", "Selection", "Variable", "describe_table", "select"]
