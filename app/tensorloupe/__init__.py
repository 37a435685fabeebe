"""Tensorloupe: a desktop explorer for model weight files, on weightmap's public names."""
