"""Components of the office's screens."""
