"""Who buys: customers with an account, and guests without one."""

import backend.customers.terms  # noqa: F401 - whoever is stored can be found
