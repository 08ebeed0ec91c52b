"""Shipping prices of a cart."""
