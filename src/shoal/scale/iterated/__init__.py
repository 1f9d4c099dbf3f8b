"""Methods that go over the whole file again and again: fuzzy clusters, fuzzy regression and IPSO of all records."""
