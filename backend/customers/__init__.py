"""Customers: registered ones and guests."""

import backend.customers.search_index  # noqa: F401 - registers the listeners that keep the search index up to date
