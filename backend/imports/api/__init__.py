"""Routes of the Admin API for imports of products."""
