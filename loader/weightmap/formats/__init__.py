"""Bytes to a Layout: what a file says about itself. No values are read here."""
