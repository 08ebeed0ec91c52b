"""The database: engines and transactions, what all tables have in common, differences between SQLite and PostgreSQL."""
