"""What is left once every weight was put together, and what contradicts it."""
