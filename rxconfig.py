"""Reflex configuration. Every Reflex process reads this file first."""

import reflex as rx
from reflex.constants import StateManagerMode

from backend.core.config.settings import load_settings
from storefront.reflex_ext.patches import ReflexPatches
from storefront.server.toolchain import prepare_environment

prepare_environment()
settings = load_settings()

config = rx.Config(
    app_name="storefront",
    plugins=[ReflexPatches()],
    disable_plugins=[rx.plugins.SitemapPlugin],  # the shop's own sitemap lists its products
    default_color_mode="light",
    show_built_with_reflex=False,
    telemetry_enabled=False,
    frontend_compression_formats=["brotli", "gzip"],
    frontend_lazy_bundled_libraries=True,
    cors_allowed_origins=(),  # the pages and the API only answer their own origin
    state_manager_mode=StateManagerMode.REDIS if settings.redis_url else StateManagerMode.MEMORY,
    redis_url=settings.redis_url or None,
)
