"""Bodega: what lies there, receiving, counting, and every movement."""
