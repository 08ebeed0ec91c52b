"""Shipping quotes of a cart."""
