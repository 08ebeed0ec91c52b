"""Customers: registered ones and guests."""

import backend.customers.search_index  # noqa: F401 - whoever is stored can be found
