"""One small class per scheme, all in one registry: which tensors make a weight, and how its values come of them."""
