"""What the shop does. Knows nothing of Reflex; `storefront` and the HTTP routes stand above it."""
