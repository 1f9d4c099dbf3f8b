"""Risk over key variables: how many records share a combination of values that an intruder may know."""
