"""From records to values: the one place where bytes are decoded, in chunks, on threads, with progress and cancel."""
