"""What a cluster reads: the parts of a file, and what is known of them after one pass."""
