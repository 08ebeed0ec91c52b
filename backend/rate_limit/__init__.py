"""Rate limits, counted in the database so that they apply to all replicas together."""
