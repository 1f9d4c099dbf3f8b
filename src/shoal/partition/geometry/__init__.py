"""What several algorithms share: trees, neighbours, forests, paths, scales."""
