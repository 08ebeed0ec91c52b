"""Regions, sales channels, API keys and publishable keys."""
