"""Webhooks: signed calls to other programs about orders, payments, products and stock."""
