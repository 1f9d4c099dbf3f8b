"""Lower bounds on the squared error of every partition: how far from the best one can be at most."""
