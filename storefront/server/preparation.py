"""Preparation before the shop is served: check the requirements and migrate the database."""

import asyncio
from math import ceil

from backend.core.config.settings import load_settings
from backend.core.errors import CannotStart
from backend.core.observability.tracing import can_trace
from backend.start import prepare
from storefront.reflex_ext.earlier_builds import store_build
from storefront.server.build import CLIENT, STAMP
from storefront.server.processes import EVENTS_TIMEOUT_S, REQUESTS_TIMEOUT_S, ServerSettings, hold_port


def prepare_shop() -> ServerSettings:
    """Check settings, port and build, prepare the database, and return the settings of the main process.

    It may safely be repeated.

    Raises:
        SettingsError: a setting is wrong.
        CannotStart: the port is in use, the pages are not built, the database does not answer, or the packages for
            traces are not installed.
    """
    settings = load_settings()
    if (held := hold_port(settings.port)) is not None:
        held.close()
    if not STAMP.exists():
        raise CannotStart("Trompo cannot start: its pages are not built. `make run` builds and starts it.")
    if settings.otel_exporter_otlp_endpoint and not can_trace():
        raise CannotStart(
            "Trompo cannot start: OTEL_EXPORTER_OTLP_ENDPOINT needs what "
            "`pip install --require-hashes --requirement requirements/traces.txt` installs."
        )
    if added := asyncio.run(prepare(settings)).products:
        print(f"Filled the empty shop with {added} demo products.", flush=True)
    store_build(CLIENT, settings.data_dir)
    return ServerSettings(
        port=settings.port,
        workers=settings.workers,
        log_format=settings.log_format,
        end_timeout_s=ceil(settings.drain_seconds + EVENTS_TIMEOUT_S + REQUESTS_TIMEOUT_S),
    )
