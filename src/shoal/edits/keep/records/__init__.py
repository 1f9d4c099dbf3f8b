"""Rules kept record by record, in values that are drawn for each record."""
