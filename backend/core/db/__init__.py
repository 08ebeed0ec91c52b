"""The database: engines and transactions, shared parts of tables, differences between SQLite and PostgreSQL."""
