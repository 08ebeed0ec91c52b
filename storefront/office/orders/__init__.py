"""Orders in the office: the list, one order, and packing."""
