"""Modules that an idle shop does not import: each waits for its first use, or for its setting."""

import subprocess
import sys

from storefront.server.build import ROOT

IMPORTS = """
import sys
from storefront.server.worker import import_app
import_app()
print(*sys.modules)
"""
NOT_IMPORTED = {
    "asyncpg": "DATABASE_URL names SQLite",
    "authlib": "the first sign-in with Google",
    "backend.core.observability.tracing_export": "OTEL_EXPORTER_OTLP_ENDPOINT",
    "cryptography.hazmat": "the first token of Google, or the first notice to a browser",
    "fpdf": "the first invoice",
    "google.protobuf": "OTEL_EXPORTER_OTLP_ENDPOINT",
    "jinja2": "the first mail",
    "joserfc": "the first sign-in with Google",
    "lxml": "the first spreadsheet",
    "opentelemetry.exporter": "OTEL_EXPORTER_OTLP_ENDPOINT",
    "phonenumbers": "the first telephone",
    "segno": "the first QR code",
    "xlsxwriter": "the first spreadsheet",
}
"""Module or package, and the reason for its import."""


def test_modules_needed_only_later_are_not_imported_at_the_start() -> None:
    told = subprocess.run(
        [sys.executable, "-c", IMPORTS],
        cwd=ROOT,
        env={"ENV_FILE": ""},
        check=True,
        capture_output=True,
        text=True,
        timeout=120,
    ).stdout.split()
    assert "storefront.storefront" in told
    early = [name for name in told if any(f"{name}.".startswith(f"{late}.") for late in NOT_IMPORTED)]
    assert not early
