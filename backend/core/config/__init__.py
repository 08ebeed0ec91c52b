"""Settings: their sources, values and checks, the declared providers, and the allowed origins."""
