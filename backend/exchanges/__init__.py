"""Exchanges: units of an order come back, and a new order goes out instead. Both are settled in one transaction."""
