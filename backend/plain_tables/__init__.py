"""Small tables that staff maintain over the Admin API."""
