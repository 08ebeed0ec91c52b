"""Clientes: everybody who buys, and one of them."""
