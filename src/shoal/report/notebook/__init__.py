"""What a notebook shows of a release, an evaluation, a comparison or a search."""
