"""Who buys: customers with an account, and guests without one."""

import backend.customers.search_index  # noqa: F401 - whoever is stored can be found
