"""Inventory items of the Admin API: stock together with the variants that have it."""
