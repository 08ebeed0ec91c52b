"""Invoice providers: the interface and its implementations."""
