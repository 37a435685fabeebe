"""From a drop or a path to a model with all that the window shows of it at once."""
