"""Views of the office's order screens."""
