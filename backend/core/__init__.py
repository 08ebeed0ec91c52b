"""Building blocks of any program: database, configuration, web clients, logs, money, time. No shop features."""
