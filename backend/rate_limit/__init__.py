"""How often something may be tried, counted in the database for all replicas."""
