"""Migration of the database to the schema of this release's code (see `runner`)."""
