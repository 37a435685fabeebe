"""The `weightmap` command: one module per command."""
