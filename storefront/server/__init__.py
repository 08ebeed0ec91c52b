"""Running, building, developing and releasing the storefront."""
