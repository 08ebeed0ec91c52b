"""Rate limits, counted in the database for all replicas."""
