"""How things look, are spoken, and how numbers are written, each said once."""
