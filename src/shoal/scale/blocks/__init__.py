"""How a file is divided into blocks that fit a worker, and what is done in each."""
