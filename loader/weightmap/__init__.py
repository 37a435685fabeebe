"""weightmap."""
