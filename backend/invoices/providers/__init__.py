"""Invoice providers: the port and its implementations."""
