"""Views of the office's screens of offers and sales."""
