"""The search index, the words of a search, and suggestions."""
