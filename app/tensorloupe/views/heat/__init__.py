"""The parts of the heatmap: what is in view, the cells to show, how they are painted, where the pointer is."""
