"""Payments and refunds of orders."""
