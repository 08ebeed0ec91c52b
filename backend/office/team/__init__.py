"""Views of the office's team screen and of one's own account."""
