"""Grids of layers and roles: the table view that the Error view has too, and the grid on the page of the whole file."""
