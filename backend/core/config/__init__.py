"""Settings: their sources, values and checks, the providers that are declared, and allowed origins."""
