"""Productos: what is sold, and one product."""
