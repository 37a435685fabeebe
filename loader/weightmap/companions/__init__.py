"""Weights that lie in several tensors (codes, scales, zeros, an order): which belong together, and the values they stand for."""
