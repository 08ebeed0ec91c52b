"""Payment providers: one file or package for each, all with the interface in `base`."""
