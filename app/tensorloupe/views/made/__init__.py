"""How one value of a weight that lies in several tensors is made."""
