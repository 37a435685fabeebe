"""How fast weightmap is on this machine, beside what else reads the same files: `weightmap bench` and `make bench`.

Absolute figures say what to expect here; the ratios are what can be compared between machines. Peers are packages that
may be installed or not: they are imported when they are measured, and named where they are absent.
"""
