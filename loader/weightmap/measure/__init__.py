"""Streaming passes over a tensor's values that never hold a tensor whole."""
