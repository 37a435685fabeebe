"""Codes times scales over any range of elements: the arithmetic of schemes whose codes are not packed words."""
