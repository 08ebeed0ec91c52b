"""Export of orders, lines, customers, products and movements as files. A job creates them, and staff fetch them."""
