"""Small tables of named rows that staff maintain over the Admin API."""
