"""All checks of `trompo doctor`, run concurrently after the database has answered."""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import asdict

from sqlalchemy.exc import SQLAlchemyError

from backend.core.config.problems import SettingProblem
from backend.core.config.settings import Settings
from backend.core.errors import ShopError
from backend.core.texts import _
from backend.core.web.http_client import get_ssl_context
from backend.core.web.response_limits import LimitedClient
from backend.office_settings import read_effective_settings
from backend.operations.doctor import external_checks, shop_checks
from backend.operations.doctor.checked_shop import CheckedShop
from backend.operations.doctor.findings import CHECK_TIMEOUT_S, Check, Finding, Status, failure, ok, run_check
from backend.operations.doctor.setting_problems import describe_problems
from backend.payment.providers.pse.client import create_gateway_client
from backend.shipping.providers.carrier.client import create_carrier_client

STATUS_NAMES = {Status.OK: _("bien"), Status.WARNING: _("aviso"), Status.FAILURE: _("falla")}
CHECK_NAMES = {
    "settings": _("ajustes"),
    "database": _("base de datos"),
    "identity": _("datos de la tienda"),
    "defaults": _("datos iniciales"),
    "products": _("productos"),
    "gateway": _("pasarela"),
    "carrier": _("transportadora"),
    "labels": _("guías"),
    "mail": _("correo"),
    "address": _("dirección web"),
    "webhook": _("avisos de pagos"),
    "hosts": _("proxy"),
    "certificate": _("certificado"),
    "pictures": _("fotos"),
    "disk": _("disco"),
    "clock": _("reloj"),
    "backup": _("copia de seguridad"),
    "legal": _("textos legales"),
}
"""Names of the checks for people, by technical name."""


async def run_checks(
    shop: CheckedShop, test_address: str = "", seconds: float = CHECK_TIMEOUT_S
) -> list[Finding]:
    """Run all checks. Each check may take at most `seconds`. A failing check does not stop the others.

    If the database cannot be read, run only the checks that do not need it. With `test_address`, also send a test
    mail to this address.
    """
    database_finding, saved = await _read_saved_settings(shop, seconds)
    effective = saved or shop.settings
    settings, database = shop.settings, shop.database
    gateway = create_gateway_client(settings, shop.sandbox.gateway_transport)
    carrier = create_carrier_client(settings, shop.sandbox.carrier_transport)
    http = LimitedClient(verify=get_ssl_context(), timeout=seconds)
    checks: dict[str, Check] = {
        "settings": lambda: shop_checks.check_settings(settings),
        "gateway": lambda: external_checks.check_gateway(settings, gateway),
        "carrier": lambda: external_checks.check_quotation(effective, carrier),
        "labels": lambda: external_checks.check_labels(settings),
        "mail": lambda: external_checks.check_mail(effective, test_address),
        "address": lambda: external_checks.check_public_address(settings, http),
        "certificate": lambda: external_checks.check_certificate(settings),
        "pictures": lambda: shop_checks.check_pictures(settings, shop.pictures),
        "disk": lambda: shop_checks.check_disk(effective),
    }
    if saved:
        checks |= {
            "identity": lambda: shop_checks.check_identity(database, settings),
            "defaults": lambda: shop_checks.check_defaults(database),
            "products": lambda: shop_checks.check_products(database, settings),
            "clock": lambda: shop_checks.check_clock(database),
            "backup": lambda: shop_checks.check_backup(database, settings),
            "legal": lambda: shop_checks.check_legal_texts(database, settings),
        }
    try:
        found = await asyncio.gather(*(run_check(name, check, seconds) for name, check in checks.items()))
    finally:
        await gateway.close()
        await carrier.close()
        await http.aclose()
    return [database_finding, *(finding for some in found for finding in some)]


async def _read_saved_settings(shop: CheckedShop, seconds: float) -> tuple[Finding, Settings | None]:
    """Check that the database can be read. Return the finding, and the settings or None."""
    try:
        async with asyncio.timeout(seconds), shop.database.read() as session:
            saved = await read_effective_settings(session, shop.settings)
    except (ShopError, SQLAlchemyError, OSError, TimeoutError) as error:
        problem = _("no responde, o todavía no tiene tablas: corre `trompo init` ({error})")
        return failure("database", problem.format(error=type(error).__name__)), None
    return ok("database", shop.settings.redacted_database_url), saved


def exit_code(findings: Sequence[Finding]) -> int:
    """Return 1 if a finding is a failure, otherwise 0. Warnings do not count."""
    return int(any(finding.status is Status.FAILURE for finding in findings))


def format_text(findings: Sequence[Finding]) -> str:
    """Return the findings as text, one line each."""
    width = max(map(len, STATUS_NAMES.values()))
    return "\n".join(
        f"{STATUS_NAMES[finding.status]:{width}}  {CHECK_NAMES[finding.name]}: {finding.message}"
        for finding in findings
    )


def format_json(findings: Sequence[Finding]) -> str:
    """Return the findings as JSON: `{"ok": …, "findings": [{"name", "status", "message"}]}`.

    Names and statuses are the same in every language; messages are in the store's language.
    """
    listed = [asdict(finding) for finding in findings]
    return json.dumps({"ok": exit_code(findings) == 0, "findings": listed}, ensure_ascii=False)


def to_settings_findings(problems: Sequence[SettingProblem]) -> list[Finding]:
    """Return a failure for each wrong setting. Other checks cannot run then."""
    return [failure("settings", sentence) for sentence in describe_problems(problems)]
