"""What the app writes and remembers, and what places are called."""
