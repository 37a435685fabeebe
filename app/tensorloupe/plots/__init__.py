"""Pictures of numbers: bins, ticks, limits and colours in plain numpy; figures that matplotlib draws in the background.

Only `figure` and what imports it touches matplotlib, which costs more than the rest of the start: nothing here is
imported before the first plot is asked for.
"""
