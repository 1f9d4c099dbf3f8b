"""What `shoal tune` finds on Census and on a mixed table."""
