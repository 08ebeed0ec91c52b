"""The Store API of the checkout."""
