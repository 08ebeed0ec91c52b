"""Payment providers: a file or package for each provider. All implement the interface in `base`."""
