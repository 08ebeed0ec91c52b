"""Telling the storefront which products changed: written down with the change, delivered after it, at least once."""
