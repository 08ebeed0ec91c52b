"""Store API routes of the checkout."""
