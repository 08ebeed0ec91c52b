"""Views of the office's settings screen, and validation rules for the shop's data."""
