"""Returns: what a buyer sends back or never got, decided by the shop, and the money that goes back for it in time."""
