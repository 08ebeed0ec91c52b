"""Admin API of draft orders (platform: draft orders)."""
