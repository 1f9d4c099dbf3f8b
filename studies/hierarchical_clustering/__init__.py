"""The thesis on hierarchical agglomerative clustering for microaggregation."""
