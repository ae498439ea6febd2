"""Recomputation of everything that is stored about rounds and revenue."""
