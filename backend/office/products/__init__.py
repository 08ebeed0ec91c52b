"""Views of the office's product screens."""
