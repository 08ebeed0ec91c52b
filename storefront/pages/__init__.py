"""One module a page: what it looks like, its state and its loader."""
