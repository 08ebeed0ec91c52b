"""Product reviews by customers who bought the product."""
