"""HAC: hierarchical agglomerative clustering with limits on the size of clusters."""
