"""Order screens of the office: the list, the detail of an order, and packing."""
