"""The version of the program is shown only to staff, operators and the carrier, and never on pages or in mails."""

from pathlib import Path

ROOT = Path(__file__).parents[4]
SHOWN_BY = {
    "backend/cli/main.py",
    "backend/edge/health/routes.py",
    "backend/office/settings/page.py",
    "backend/shipping/providers/carrier/client.py",
}
"""`/health` shows it only to callers with METRICS_TOKEN."""


def test_version_is_imported_only_by_the_listed_modules() -> None:
    modules = (file for package in ("backend", "storefront") for file in (ROOT / package).rglob("*.py"))
    readers = {
        module.relative_to(ROOT).as_posix()
        for module in modules
        if "config.version import" in module.read_text("utf-8")
    }
    assert readers == SHOWN_BY
