"""A reference beside the open model: attached, paired and measured in the background, and what the window tells of it."""
