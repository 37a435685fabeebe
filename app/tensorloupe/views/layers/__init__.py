"""The grid of layers and roles on the page of the whole file."""
