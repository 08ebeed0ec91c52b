"""Conversion of orders to the shapes of the platform's APIs."""
