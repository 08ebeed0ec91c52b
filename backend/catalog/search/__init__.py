"""Product search: the index, the interpretation of query words, and suggestions."""
