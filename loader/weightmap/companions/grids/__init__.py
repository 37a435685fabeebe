"""Where scales lie over a weight, and in which order; between which values they hold their codes."""
