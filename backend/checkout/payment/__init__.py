"""Starting a payment, and the stock that it holds."""
