"""Streaming passes over values: statistics, histograms, heatmaps. None of them holds a whole tensor."""
