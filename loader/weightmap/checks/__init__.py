"""A layout (and, when asked, values) in, findings out."""
