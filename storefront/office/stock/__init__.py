"""Bodega: what is stocked there, receiving, counting, and every movement."""
