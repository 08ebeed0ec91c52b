"""View models of the storefront's account, order and returns pages."""
