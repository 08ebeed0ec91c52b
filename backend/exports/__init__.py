"""Tables of orders, lines, customers, products and movements as files: made by a job, fetched once they are done."""
