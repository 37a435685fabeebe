"""A comparison as a document to attach to an issue or to keep: one HTML file that needs nothing else, or Markdown."""
