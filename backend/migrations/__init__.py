"""Migration of the database to the schema of this version of the code (`runner`)."""
