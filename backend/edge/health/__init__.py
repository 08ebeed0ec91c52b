"""`/health`, `/livez` and `/readyz`."""
