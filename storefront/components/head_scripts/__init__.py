"""Scripts in the head of every document."""
