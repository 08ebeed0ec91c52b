"""Returns of customers: requests, received units, the shop's decision, and the refund before its deadline."""
