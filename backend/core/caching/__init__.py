"""Caches that check with the database that nothing changed, and sharing of concurrent calls."""
