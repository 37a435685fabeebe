"""A tensor in other types: the run in the background, the curve and the table of what came of it, and what to try."""
