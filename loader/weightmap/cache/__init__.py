"""What was worked out once and need not be again: headers, statistics, errors of comparisons, checksums.

Kept in the user's cache folder and named by the content of the file that it is about. A cache is never needed and never
believed on its word: whatever is stale, damaged, from another version or simply odd counts as not there, and a disk that is
full or cannot be written makes it silently do nothing.
"""
