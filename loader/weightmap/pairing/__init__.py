"""Which tensor answers which in another file: names, the converter's transforms undone, and proof by value."""
