"""Changes and losses that the rows of an import make in the shop."""
