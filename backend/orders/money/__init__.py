"""What was paid for an order, and what is refunded."""
