"""Views of the office's stock screens."""
