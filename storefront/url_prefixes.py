"""Which addresses are the API's and the office's, in production and in development."""

API_SEGMENTS = frozenset(
    {
        "store", "admin", "auth", "hooks", "api", "livez", "readyz", "health", "metrics", "docs", "openapi.json",
        "sandbox", "pictures", "manifest.webmanifest",
    }
)  # fmt: skip
"""The first path segments that belong to the API; everything else is Reflex's."""
OFFICE = "/oficina"
"""The path of the office."""
