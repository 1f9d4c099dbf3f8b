"""Rules in the flow: checked on the file, kept in groups and in synthetic values, kept when values are rounded."""
