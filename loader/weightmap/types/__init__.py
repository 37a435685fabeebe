"""The stored types: one small class each, all in one visible registry."""
