"""Views of the office's return screens."""
