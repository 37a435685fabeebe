"""The parts of the Error view: ranked table, grid of layers and roles, what is said of one pair, its pictures."""
