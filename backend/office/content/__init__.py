"""Views of the office's screens of the shop's content."""
