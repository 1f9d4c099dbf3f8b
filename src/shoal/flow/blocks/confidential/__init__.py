"""Groups by what they tell of the confidential variables of their members: l-diverse, t-close."""
