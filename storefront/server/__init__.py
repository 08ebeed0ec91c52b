"""Commands to run, build, develop and release the storefront."""
