"""Values that are used again only after the database says that nothing changed, and calls that are shared."""
