"""The window, and what its actions do: it holds the parts together, and no logic of theirs."""
