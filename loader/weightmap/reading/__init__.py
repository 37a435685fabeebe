"""Where stored blocks become values: chunks, threads, progress, slices."""
