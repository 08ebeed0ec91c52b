"""Building blocks for any program: database, configuration, HTTP clients, logs, money, time. No shop features."""
