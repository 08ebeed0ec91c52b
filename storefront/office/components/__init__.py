"""What screens of the office are made of."""
