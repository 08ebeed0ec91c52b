"""Changes of stock by staff: receive, count and correct units. If units are reserved, the error names the orders."""
