"""Who makes invoices: the port, and what stands behind it."""
