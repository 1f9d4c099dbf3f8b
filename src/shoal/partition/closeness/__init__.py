"""Groups in which confidential variables are distributed nearly as in the whole file (t-closeness)."""
