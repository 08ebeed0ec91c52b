"""Views of the office's settings screen, and the rules of the shop's own data."""
