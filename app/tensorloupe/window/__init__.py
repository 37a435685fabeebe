"""The window, from the shell up to what its actions do; the order of its floors stands in pyproject.toml."""
