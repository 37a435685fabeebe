"""The list of many models: a row each, what is wrong with the one that has the cursor, and the way there and back."""
