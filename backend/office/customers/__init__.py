"""Views of the office's customer screens."""
