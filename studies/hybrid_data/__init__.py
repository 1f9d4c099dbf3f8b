"""Domingo-Ferrer (2009): numerical hybrid data, their moments and their risk."""
