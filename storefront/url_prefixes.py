"""URL prefixes of the API and of the office, in production and in development."""

API_SEGMENTS = frozenset(
    {
        "store", "admin", "auth", "hooks", "api", "livez", "readyz", "health", "metrics", "docs", "openapi.json",
        "sandbox", "pictures", "manifest.webmanifest", "feed",
        "favicon.ico", "apple-touch-icon.png", "apple-touch-icon-precomposed.png", "icons",
    }
)  # fmt: skip
"""The first path segments that belong to the API. All other paths belong to Reflex."""
OFFICE = "/oficina"
"""Path of the office."""
