"""Everything that is compiled, and nothing else: plain arrays in, plain arrays out, no messages."""
