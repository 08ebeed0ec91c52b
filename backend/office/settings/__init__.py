"""Views of the office's settings screen, and the rules for the shop's data."""
