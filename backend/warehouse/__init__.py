"""Changes of stock by staff: receive, count and correct units. Refusals name the orders that reserved them."""
