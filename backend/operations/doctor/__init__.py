"""Checks of `trompo doctor`, before the shop opens and while it is open."""
