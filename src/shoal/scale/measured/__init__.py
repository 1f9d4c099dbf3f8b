"""What is measured on a cluster: two folders compared, rules checked, key variables counted."""
